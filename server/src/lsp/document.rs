//! Open documents: their text as the client has it, and what the analysis said of it last.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use ropey::Rope;
use tokio::sync::watch;
use tower_lsp::lsp_types::{TextDocumentContentChangeEvent, Url};
use vramlens_grammars::edit::edited;
use vramlens_grammars::{Document, ParseLimit, Source};

use crate::analysis::{self, Analysis, Earlier, RuleFailure};
use crate::estimate::Estimate;
use crate::finding::Finding;
use crate::lsp::configuration::DocumentSettings;
use crate::lsp::difference::difference;
use crate::lsp::position::Encoding;
use crate::surroundings::Surroundings;
use crate::workspace::surroundings::{MAX_ROUNDS, Wanted};

/// Stands for a rule's code when the analysis failed outside any rule.
pub const ANALYSIS: &str = "analysis";

/// A document that the client has open.
#[derive(Debug)]
pub struct OpenDocument {
    text: Rope,
    version: i32,
    /// Grows with every change of anything that a result depends on: the text or the settings.
    generation: u64,
    settings: Option<Arc<DocumentSettings>>,
    surroundings: Option<Arc<Surroundings>>,
    /// How often what the analysis asked for was read since the text changed.
    rounds: usize,
    waiting: Waiting,
    /// How often results have begun to wait.
    waits: u64,
    /// The newest result, which is told when what it asked for was read.
    held: Option<Arc<Checked>>,
    checked: watch::Sender<Option<Arc<Checked>>>,
}

/// Whether results wait for what is read around a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    /// Nothing is being read.
    No,
    /// Something is being read.
    Yes,
    /// Something is being read, and that takes too long to wait for it.
    NoMore,
}

/// What a document was when a job took it up.
#[derive(Debug)]
pub struct Snapshot {
    /// The text.
    pub text: Rope,
    /// Its version at the client.
    pub version: i32,
    /// Which state of the document this is.
    pub generation: u64,
    /// Its settings, when they are known already.
    pub settings: Option<Arc<DocumentSettings>>,
    /// What surrounds it, when that was read already.
    pub surroundings: Option<Arc<Surroundings>>,
    /// The last state that was checked: its syntax saves parsing what has not changed.
    pub previous: Option<Arc<Checked>>,
}

/// A state of a document with what was found in it.
#[derive(Debug)]
pub struct Checked {
    /// Where it is.
    pub uri: Url,
    /// The text.
    pub text: Rope,
    /// Its version at the client.
    pub version: i32,
    /// Which state of the document this is.
    pub generation: u64,
    /// The text with its syntax.
    pub document: Document,
    /// The settings it was checked with.
    pub settings: Arc<DocumentSettings>,
    /// What surrounded it.
    pub surroundings: Arc<Surroundings>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// How much memory is needed where.
    pub estimates: Vec<Estimate>,
    /// Names of models that the surroundings were not asked for yet.
    pub unread: Vec<String>,
    /// Imports that were not looked up yet.
    pub unread_imports: Vec<String>,
    /// Whether callers in other files may make a difference.
    pub callers_matter: bool,
    /// Rules that failed.
    pub failures: Vec<RuleFailure>,
    /// What the next analysis can take from this one.
    pub earlier: Earlier,
}

impl OpenDocument {
    /// A document as it was opened. It waits for what surrounds it.
    pub fn new(text: &str, version: i32, generation: u64) -> Self {
        Self {
            text: Rope::from_str(text),
            version,
            generation,
            settings: None,
            surroundings: None,
            rounds: 0,
            waiting: Waiting::Yes,
            waits: 0,
            held: None,
            checked: watch::Sender::new(None),
        }
    }

    /// Applies changes in their order, each to the text that the one before it left.
    pub fn change(
        &mut self,
        changes: &[TextDocumentContentChangeEvent],
        version: Option<i32>,
        encoding: Encoding,
    ) {
        for change in changes {
            self.apply(change, encoding);
        }
        self.version = version.unwrap_or(self.version);
        self.rounds = 0;
    }

    fn apply(&mut self, change: &TextDocumentContentChangeEvent, encoding: Encoding) {
        let Some(range) = change.range else {
            self.text = Rope::from_str(&change.text);
            return;
        };
        let span = encoding.span(&self.text, range).as_range();
        let start = self.text.byte_to_char(span.start);
        let end = self.text.byte_to_char(span.end);
        self.text.remove(start..end);
        self.text.insert(start, &change.text);
    }

    /// Marks every result so far as out of date.
    pub fn renew(&mut self, generation: u64) {
        self.generation = generation;
    }

    /// Forgets the settings, so that they are looked up again.
    pub fn forget_settings(&mut self) {
        self.settings = None;
    }

    /// What surrounds the document, if that was read already.
    pub fn surroundings(&self) -> Option<&Arc<Surroundings>> {
        self.surroundings.as_ref()
    }

    /// Takes in what surrounds the document, as it was read anew.
    pub fn surround(&mut self, surroundings: Surroundings) {
        self.surroundings = Some(Arc::new(surroundings));
    }

    /// Whether what an analysis asked for is to be read: not without end, should it ask for more each time.
    pub fn begin_round(&mut self, checked: &Checked) -> bool {
        let begins = !checked.wanted().is_nothing() && self.rounds < MAX_ROUNDS;
        self.rounds += usize::from(begins);
        begins
    }

    /// The document as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            text: self.text.clone(),
            version: self.version,
            generation: self.generation,
            settings: self.settings.clone(),
            surroundings: self.surroundings.clone(),
            previous: self.held.clone().or_else(|| self.last()),
        }
    }

    /// Whether a result is about the document as it is now.
    pub fn is_current(&self, checked: &Checked) -> bool {
        checked.generation == self.generation
    }

    /// Whether the present state is to be checked now. A job that was meant for an older state may have done it, and
    /// the first time what surrounds the document is waited for.
    pub fn is_to_be_checked(&self) -> bool {
        let is_current = |checked: Arc<Checked>| self.is_current(&checked);
        let is_checked = self.held.clone().is_some_and(is_current) || self.last().is_some_and(is_current);
        let is_first_read = self.surroundings.is_none() && self.waiting == Waiting::Yes;
        !is_checked && !is_first_read
    }

    /// Keeps what a current result was made with.
    pub fn keep(&mut self, checked: &Checked) {
        self.settings = Some(Arc::clone(&checked.settings));
        // What was read meanwhile and makes no difference is kept.
        self.surroundings.get_or_insert_with(|| Arc::clone(&checked.surroundings));
    }

    /// Notes that something is being read. If that is news, patience begins: for the wait of this number.
    pub fn begin_waiting(&mut self) -> Option<u64> {
        if self.waiting != Waiting::No {
            return None;
        }
        self.waiting = Waiting::Yes;
        self.waits += 1;
        Some(self.waits)
    }

    /// Notes that nothing is read that a result could wait for.
    pub fn end_waiting(&mut self) {
        self.waiting = Waiting::No;
    }

    /// Holds a current result back, unless that was done for too long already.
    pub fn hold(&mut self, checked: &Arc<Checked>) -> bool {
        let holds = self.waiting == Waiting::Yes;
        self.held = Some(Arc::clone(checked)).filter(|_| holds);
        holds
    }

    /// The result that was held back for what the state `generation` asked for, which has been read.
    pub fn release_for(&mut self, generation: u64) -> Option<Arc<Checked>> {
        if self.generation != generation {
            return None;
        }
        self.waiting = Waiting::No;
        self.held.take().filter(|held| self.is_current(held))
    }

    /// Ends the wait of this number, if it lasts. The result that was held back, if it is about the document as it is.
    pub fn lose_patience(&mut self, wait: u64) -> Option<Arc<Checked>> {
        if self.waiting != Waiting::Yes || self.waits != wait {
            return None;
        }
        self.waiting = Waiting::NoMore;
        self.held.take().filter(|held| self.is_current(held))
    }

    /// Takes a current result in, and hands it to everybody who waits for it.
    pub fn accept(&mut self, checked: Arc<Checked>) {
        self.held = None;
        self.checked.send_replace(Some(checked));
    }

    /// The last result.
    pub fn last(&self) -> Option<Arc<Checked>> {
        self.checked.borrow().clone()
    }

    /// Where results arrive, and the state that is the present one.
    pub fn results(&self) -> (watch::Receiver<Option<Arc<Checked>>>, u64) {
        (self.checked.subscribe(), self.generation)
    }
}

impl Checked {
    /// What the analysis asked for.
    pub fn wanted(&self) -> Wanted<'_> {
        let callers = self.callers_matter && !self.surroundings.units.callers_known;
        Wanted { models: &self.unread, imports: &self.unread_imports, callers }
    }

    /// Whether it was made with these settings and with this around it.
    fn is_under(&self, settings: &Arc<DocumentSettings>, surroundings: &Arc<Surroundings>) -> bool {
        Arc::ptr_eq(&self.settings, settings) && Arc::ptr_eq(&self.surroundings, surroundings)
    }

    /// Whether only what surrounds the document can make a difference to an earlier result.
    pub fn is_again(&self, earlier: &Self) -> bool {
        self.version == earlier.version
            && Arc::ptr_eq(&self.settings, &earlier.settings)
            && self.document.source == earlier.document.source
    }

    /// Whether the client has heard the same already.
    pub fn repeats(&self, earlier: &Self) -> bool {
        self.is_again(earlier) && self.findings == earlier.findings && self.estimates == earlier.estimates
    }
}

impl Snapshot {
    /// Parses and analyses the text. Never fails: whatever goes wrong is a failure in the result.
    pub fn check(
        self,
        uri: Url,
        settings: Arc<DocumentSettings>,
        surroundings: Arc<Surroundings>,
    ) -> Checked {
        let source = Source::file(self.text.to_string());
        let run = || {
            let document = parse(source.clone(), self.previous.as_deref());
            let same = |previous: &&Arc<Checked>| previous.is_under(&settings, &surroundings);
            let earlier = self.previous.as_ref().filter(same).map(|previous| &previous.earlier);
            let (analysis, earlier) = if settings.excluded {
                Default::default()
            } else {
                analysis::analyze_after(&document, &surroundings, &settings.analysis, earlier)
            };
            (document, analysis, earlier)
        };
        let (document, analysis, earlier) = panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            (Document { source, syntax: Err(ParseLimit::Budget) }, failed(), Earlier::default())
        });
        Checked {
            uri,
            text: self.text,
            version: self.version,
            generation: self.generation,
            document,
            settings,
            findings: analysis.findings,
            estimates: analysis.estimates,
            failures: analysis.failures,
            unread: analysis.unread,
            unread_imports: analysis.unread_imports,
            callers_matter: analysis.callers_matter,
            earlier,
            surroundings,
        }
    }
}

/// Parses a text; what has not changed since an earlier state is taken from there.
fn parse(source: Source, previous: Option<&Checked>) -> Document {
    let earlier = previous.and_then(|previous| Some((previous, previous.document.syntax.as_ref().ok()?)));
    let Some((previous, tree)) = earlier else { return Document::python(source) };
    let before = previous.document.source.text();
    match difference(before, source.text()) {
        None => previous.document.clone(),
        Some((span, replacement)) => {
            let tree = edited(tree, before, span, replacement);
            Document::python_after_edit(source, &tree)
        }
    }
}

/// What is left of an analysis that failed outside any rule.
fn failed() -> Analysis {
    let failure = RuleFailure { code: ANALYSIS, message: String::new() };
    Analysis { failures: vec![failure], ..Analysis::default() }
}

#[cfg(test)]
pub mod tests;
