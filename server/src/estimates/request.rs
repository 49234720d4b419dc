//! What a call that loads a model says, in terms of the tables of loading.

use vramlens_grammars::Span;

use crate::estimates::desk::Desk;
use crate::knowledge::loading::{About, Default, Keyword, Loader, Loading, Meaning};
use crate::python::library_call::{Known, LibraryCall};
use crate::texts::text;

/// A call that loads a model.
#[derive(Debug)]
pub struct Request<'a> {
    /// The script it stands in.
    pub desk: Desk<'a>,
    /// Its place among the calls of the script.
    pub index: usize,
    /// The call.
    pub call: &'a LibraryCall,
    /// The conventions it follows.
    pub loader: Loader,
    said: Vec<Said<'a>>,
}

/// One thing that a call says.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The keyword it says it by.
    pub keyword: &'static Keyword,
    /// What it says.
    pub value: &'a Known,
    /// Where it is written.
    pub span: Option<Span>,
    /// Whether the installed version listens to it, if that is known. A call that raises tells what was meant.
    pub counts: Option<bool>,
    /// Whether the installed version raises because of it.
    pub fails: bool,
}

impl<'a> Request<'a> {
    /// Reads the call with this place among the calls of the script; `None` when the tables do not know how it loads.
    pub fn read(index: usize, desk: Desk<'a>) -> Option<Self> {
        let call = desk.calls.get(index)?;
        let loader = Loading::tables().loader(&call.path)?;
        let mut request = Self { desk, index, call, loader, said: Vec::new() };
        for keyword in Loading::tables().keywords(loader) {
            let given = &call.arguments;
            let by_place = || keyword.place.and_then(|place| given.positional.get(place));
            let found = given.named(keyword.name).or_else(by_place);
            if let Some(found) = found {
                request.say(keyword, &found.value, found.span);
            }
        }
        Some(request)
    }

    fn say(&mut self, keyword: &'static Keyword, value: &'a Known, span: Option<Span>) {
        let holds = keyword.window.holds(self.loader.package, self.desk.versions());
        let (counts, fails) =
            if keyword.raises { (Some(true), holds == Some(false)) } else { (holds, false) };
        self.said.push(Said { keyword, value, span, counts, fails });
        if let (Meaning::Options, Known::Table(options)) = (keyword.meaning, value) {
            for keyword in Loading::tables().keywords(self.loader) {
                if let Some((_, value)) = options.iter().find(|(name, _)| **name == *keyword.name) {
                    self.say(keyword, value, span);
                }
            }
        }
    }

    /// What it says about something, as far as the installed version may listen to it. `None` as a value is as if
    /// nothing were said.
    pub fn get(&self, meaning: Meaning) -> Option<Said<'a>> {
        let about = self.said.iter().filter(|said| said.keyword.meaning == meaning);
        about.copied().find(|said| said.counts != Some(false) && *said.value != Known::None)
    }

    /// What it says that the installed version does not know.
    pub fn unknown_keywords(&self) -> impl Iterator<Item = Said<'a>> {
        let is_unknown = |said: &Said| (said.fails || said.counts == Some(false)) && said.value.is_set();
        self.said.iter().copied().filter(is_unknown)
    }

    /// What the loader does when nothing is said about something: the rows that hold, or may hold, for the installed
    /// version, the newest first.
    pub fn defaults(&self, about: About) -> Vec<&'static Default> {
        let rows = Loading::tables().defaults(self.loader, about);
        let mut rows: Vec<_> = rows
            .filter(|row| row.window.holds(self.loader.package, self.desk.versions()) != Some(false))
            .collect();
        rows.sort_by_key(|row| !row.window.is_current());
        rows
    }

    /// The version that decides, as far as it is known, for a sentence, and where that is written.
    pub fn installed(&self) -> Option<(String, &'a str)> {
        let known = self.desk.versions().get(self.loader.package)?;
        let lowest = || {
            let numbers: Vec<String> = known.lowest.iter().map(u32::to_string).collect();
            text("estimate-or-later", &[("version", &numbers.join("."))])
        };
        Some((known.exact.clone().unwrap_or_else(lowest), &known.source))
    }

    /// The last name of the class or function that is called, without `from_pretrained` and the like.
    pub fn class(&self) -> &'a str {
        let names: Vec<&str> = self.call.path.rsplit('.').collect();
        let is_method = names.first().is_some_and(|name| name.starts_with("from_"));
        names.get(usize::from(is_method)).copied().unwrap_or_default()
    }
}
