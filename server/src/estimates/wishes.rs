//! Which type the weights are loaded in: said in the call, or taken by the installed version.

use vramlens_grammars::Span;

use crate::estimates::notes::Notes;
use crate::estimates::request::Request;
use crate::knowledge::loading::{About, Default, Meaning};
use crate::memory::weights::Dtype;
use crate::python::library_call::Known;
use crate::texts::text;

/// A type that weights are loaded in.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// This one.
    Type(Dtype),
    /// As they are stored.
    Stored,
    /// Each part in its own; `default` stands for the others.
    ByPart(Vec<(String, Dtype)>),
}

/// The types that weights may be loaded in, the likeliest first, and whether the text says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Wishes {
    /// The types.
    pub options: Vec<Wish>,
    /// Whether they come from the text, and not from a default.
    pub said: bool,
}

impl Wish {
    /// The type for a part, where it does not depend on what is stored.
    pub fn of(&self, part: &str) -> Option<Dtype> {
        match self {
            Self::Type(dtype) => Some(*dtype),
            Self::Stored => None,
            Self::ByPart(types) => {
                let named =
                    |wanted: &str| types.iter().find(|(name, _)| name == wanted).map(|(_, dtype)| *dtype);
                Some(named(part).or_else(|| named("default")).unwrap_or(Dtype::Float32))
            }
        }
    }

    /// As a person would name it.
    pub fn shown(&self) -> String {
        match self {
            Self::Type(dtype) => dtype.to_string(),
            Self::Stored => text("estimate-as-stored", &[]),
            Self::ByPart(_) => text("estimate-by-part", &[]),
        }
    }

    /// What a value asks for; `None` when that is not known.
    fn read(value: &Known) -> Option<Self> {
        match value {
            Known::Text(name) if **name == *"auto" => Some(Self::Stored),
            Known::Text(name) | Known::Library(name) => Dtype::parse(name).map(Self::Type),
            Known::Table(parts) => {
                let types = parts.iter().map(|(part, value)| match Self::read(value)? {
                    Self::Type(dtype) => Some((part.to_string(), dtype)),
                    _ => None,
                });
                types.collect::<Option<Vec<_>>>().map(Self::ByPart)
            }
            _ => None,
        }
    }
}

/// The types that the weights of a call may be loaded in. `stored` is the type of the checkpoint, if all parts have one.
pub fn wishes(request: &Request, stored: Option<Dtype>, notes: &mut Notes) -> Wishes {
    let Some(said) = request.get(Meaning::Dtype) else {
        let mut options = by_default(request, stored, notes);
        if request.call.arguments.open {
            notes.add(
                "dtype",
                text("estimate-unknown", &[]),
                text("estimate-open-arguments", &[]),
                Some(request.call.span),
            );
            options.extend([Wish::Type(Dtype::BFloat16), Wish::Type(Dtype::Float32)]);
        }
        return Wishes { options, said: false };
    };
    let mut options = Vec::new();
    for value in said.value.alternatives() {
        match (Wish::read(value), value) {
            (Some(wish), _) => options.push(wish),
            (None, Known::None) => {
                options.extend(request.defaults(About::Dtype).into_iter().filter_map(wish));
            }
            (None, _) => {}
        }
    }
    if options.is_empty() {
        notes.add("dtype", Dtype::BFloat16.name(), text("estimate-dtype-unknown", &[]), said.span);
        return Wishes { options: vec![Wish::Type(Dtype::BFloat16), Wish::Type(Dtype::Float32)], said: true };
    }
    options.dedup();
    // A choice follows the device nearly always, and float32 is for the host.
    options.sort_by_key(|wish| *wish == Wish::Type(Dtype::Float32));
    written(&options, matches!(said.value, Known::Usually(_)), said.span, notes);
    if said.counts.is_none() {
        options.extend(request.defaults(About::Dtype).into_iter().filter_map(wish));
        unsure(request, said.keyword.name, notes);
    }
    options.dedup();
    Wishes { options, said: true }
}

/// Notes a type that the text says.
fn written(options: &[Wish], is_usual: bool, place: Option<Span>, notes: &mut Notes) {
    let shown: Vec<String> = options.iter().map(Wish::shown).collect();
    let shown = shown.join(&text("estimate-or", &[]));
    match (options.len() > 1, is_usual) {
        (true, _) => notes.add("dtype", shown, text("estimate-dtype-choice", &[]), place),
        (false, true) => notes.add("dtype", shown, text("estimate-option-default", &[]), place),
        (false, false) => notes.written("dtype", shown, place),
    }
}

/// Notes that a keyword counts only in some versions, and the installed one is not known.
fn unsure(request: &Request, keyword: &str, notes: &mut Notes) {
    let package = request.loader.package;
    let why = text("estimate-keyword-unsure", &[("keyword", keyword), ("package", package)]);
    notes.add("version", text("estimate-newest", &[]), why, None);
}

/// What the installed version takes; what several versions take, where it is not known which is installed and they
/// differ.
fn by_default(request: &Request, stored: Option<Dtype>, notes: &mut Notes) -> Vec<Wish> {
    let rows = request.defaults(About::Dtype);
    let mut options: Vec<Wish> = rows.iter().copied().filter_map(wish).collect();
    let resolved = |wish: &Wish| wish.of("").or(stored);
    if let [newest, older] = options.as_slice()
        && resolved(newest).is_some()
        && resolved(newest) == resolved(older)
    {
        options.truncate(1);
    }
    let package = request.loader.package;
    let why = match (rows.as_slice(), options.len(), request.installed()) {
        ([newest, older, ..], 2.., _) => {
            let since = newest.window.since().unwrap_or_default();
            let arguments = [("package", package), ("since", since.as_str()), ("before", older.value)];
            text("estimate-dtype-by-version", &arguments)
        }
        (_, _, Some((version, source))) => {
            let arguments = [("package", package), ("version", &version), ("source", source)];
            text("estimate-dtype-default-installed", &arguments)
        }
        (_, _, None) => text("estimate-dtype-default", &[("package", package)]),
    };
    let shown = options.first().map(|wish| match (wish, stored) {
        (Wish::Stored, Some(dtype)) => dtype.to_string(),
        (wish, _) => wish.shown(),
    });
    notes.add("dtype", shown.unwrap_or_default(), why, Some(request.call.callee));
    options
}

fn wish(row: &Default) -> Option<Wish> {
    match row.value {
        "stored" => Some(Wish::Stored),
        name => Dtype::parse(name).map(Wish::Type),
    }
}
