//! The work on one file: read, analyse, fix. A file that fails never takes the others with it.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use vramlens_grammars::{Location, Source, Span};

use crate::analysis::Analysis;
use crate::cli::place::name_with_cell;
use crate::estimate::Estimate;
use crate::finding::{Finding, Severity};
use crate::fixes::fix_all;
use crate::rules::vl001;
use crate::settings::{PartialSettings, Settings};
use crate::texts::text;
use crate::workspace::files::Kind;
use crate::workspace::read::{self, FileText, ReadError};
use crate::workspace::settings::{SettingsFile, SettingsFiles};
use crate::workspace::surroundings::Reader;
use crate::workspace::write;

/// A document to examine.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name, as it was given.
    pub filename: String,
    /// Where its content comes from.
    pub origin: Origin,
}

/// Where a document's content comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Standard input; a name may have been given to it.
    StandardInput(Option<PathBuf>),
}

/// What is done with fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixMode {
    /// They are only told of.
    Tell,
    /// They are applied and written.
    Write,
    /// What they would change is shown.
    Diff,
}

/// What is the same for all files of a run.
#[derive(Debug)]
pub struct Run<'a> {
    /// The settings on the command line.
    pub command_line: PartialSettings,
    /// The settings files.
    pub files: &'a SettingsFiles,
    /// What surrounds the files.
    pub reader: Reader,
    /// What is done with fixes.
    pub fixes: FixMode,
    /// Whether unsafe fixes count.
    pub unsafe_fixes: bool,
}

/// A document after the work on it.
#[derive(Debug)]
pub struct Examined {
    /// Its name, as it was given.
    pub filename: String,
    /// Whether it was analysed.
    pub analysed: bool,
    /// The text that the findings and estimates stand in.
    pub source: Source,
    /// What was found, and is left after fixing.
    pub findings: Vec<Finding>,
    /// How much memory is needed where.
    pub estimates: Vec<Estimate>,
    /// The codes of the fixes applied, one entry a fix.
    pub fixed: Vec<&'static str>,
    /// What its fixes make of it, to be written when every file was examined.
    pub rewrite: Option<Rewrite>,
    /// The files of the workspace that it imports, directly or not, by their names there.
    pub imported: Vec<String>,
    /// What is to be printed instead of findings: the fixed standard input, or a diff.
    pub print: String,
    /// What went wrong, each a sentence with its place.
    pub errors: Vec<String>,
}

/// What fixes make of a file.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The file.
    pub path: PathBuf,
    /// Its new content.
    pub content: String,
    /// The text in it, as files that import it see it.
    pub text: String,
}

/// Does the work on one file, and writes nothing.
pub fn examine(input: &Input, run: &Run<'_>) -> Examined {
    guarded(&input.filename, || match read(&input.origin) {
        Ok(file) => examine_text(input, &file, run),
        Err(error) => Examined::failed(&input.filename, read_error(&input.filename, &error)),
    })
}

/// Does some work on one file; should it panic, that is an error of this file alone.
fn guarded(filename: &str, work: impl FnOnce() -> Examined) -> Examined {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let arguments = [("file", filename), ("what", panic_message(panic.as_ref()))];
        Examined::failed(filename, text("check-panicked", &arguments))
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown")
}

fn read(origin: &Origin) -> Result<FileText, ReadError> {
    match origin {
        Origin::File(path) => read::file(path, kind(path)),
        Origin::StandardInput(name) => {
            let kind = name.as_deref().map_or(Kind::Python, kind);
            read::stream(io::stdin().lock(), kind)
        }
    }
}

/// A file that is named outright is checked whatever its ending; without a known one it is Python.
fn kind(path: &Path) -> Kind {
    Kind::of(path).unwrap_or(Kind::Python)
}

fn read_error(filename: &str, error: &ReadError) -> String {
    match error.place {
        Some((line, byte)) => format!("{filename}:{line}:{byte}: {}", error.message),
        None => format!("{filename}: {}", error.message),
    }
}

fn examine_text(input: &Input, file: &FileText, run: &Run<'_>) -> Examined {
    let path = path(&input.origin);
    let folder = path.parent().unwrap_or(&path);
    let settings = settings(folder, run);
    let mut surroundings = run.reader.around(folder);
    let analysis = run.reader.analyze(&file.document, &mut surroundings, &settings, &path);
    let imported = surroundings.units.files.iter().map(|unit| unit.name.clone()).collect();
    if run.fixes == FixMode::Tell {
        return Examined::new(&input.filename, file.written.clone(), analysis);
    }
    let fixed = fix_all(&file.document, &surroundings, &settings, run.unsafe_fixes);
    let analysis = run.reader.analyze(&fixed.document, &mut surroundings, &settings, &path);
    let written = fixed.apply_to(&file.written);
    let mut examined = Examined { imported, ..Examined::new(&input.filename, written.clone(), analysis) };
    examined.fixed = fixed.applied;
    let content = file.with_written(&written);
    match (&input.origin, run.fixes) {
        (_, FixMode::Diff) => examined.print = diff(&input.filename, &file.written, &written),
        (Origin::StandardInput(_), _) => examined.print.clone_from(&content),
        (Origin::File(_), _) => {}
    }
    if matches!(input.origin, Origin::File(_)) && !examined.fixed.is_empty() {
        let text = written.text().to_owned();
        examined.rewrite = Some(Rewrite { path, content, text });
    }
    examined
}

/// Where a document lies, or would.
fn path(origin: &Origin) -> PathBuf {
    let path = match origin {
        Origin::File(path) => path.as_path(),
        Origin::StandardInput(name) => name.as_deref().unwrap_or(Path::new("-")),
    };
    std::path::absolute(path).unwrap_or_default()
}

fn settings(folder: &Path, run: &Run<'_>) -> Settings {
    let lower = run.files.nearest(folder).map(|file| file.settings.clone()).unwrap_or_default();
    run.command_line.clone().over(lower).finish()
}

/// What changed, in the form that `patch` takes; cell by cell for a notebook.
fn diff(filename: &str, before: &Source, after: &Source) -> String {
    let pieces = before.pieces().iter().map(|piece| {
        let old = before.piece_text(piece.cell).unwrap_or("");
        let new = after.piece_text(piece.cell).unwrap_or("");
        let name = name_with_cell(filename, piece.cell);
        similar::TextDiff::from_lines(old, new).unified_diff().header(&name, &name).to_string()
    });
    pieces.collect()
}

impl Examined {
    /// What an analysis found in a text.
    pub fn new(filename: &str, source: Source, analysis: Analysis) -> Self {
        let errors = analysis.failures.iter().map(|failure| {
            let arguments = [("file", filename), ("code", failure.code), ("what", &failure.message)];
            text("check-rule-failed", &arguments)
        });
        // Texts that nothing is said about are not needed any more.
        let source = if analysis.findings.is_empty() && analysis.estimates.is_empty() {
            Source::file(String::new())
        } else {
            source
        };
        Self {
            filename: filename.to_owned(),
            analysed: true,
            source,
            errors: errors.collect(),
            findings: analysis.findings,
            estimates: analysis.estimates,
            fixed: Vec::new(),
            rewrite: None,
            imported: Vec::new(),
            print: String::new(),
        }
    }

    /// A file that nothing can be said about but why.
    pub fn failed(filename: &str, error: String) -> Self {
        let mut examined = Self::new(filename, Source::file(String::new()), Analysis::default());
        examined.analysed = false;
        examined.errors.push(error);
        examined
    }

    /// What a settings file itself is told of.
    pub fn settings_file(filename: &str, file: &SettingsFile, settings: &Settings) -> Self {
        let severity = if file.broken { Severity::Error } else { Severity::Warning };
        let findings = file.problems.iter().map(|problem| {
            let location = Location { cell: None, span: problem.span.unwrap_or(Span::at(0)) };
            vl001::finding(problem.message.clone(), severity, location)
        });
        let findings = findings.filter(|finding| settings.wants(finding.code)).collect();
        let analysis = Analysis { findings, ..Analysis::default() };
        Self { analysed: false, ..Self::new(filename, Source::file(file.text.clone()), analysis) }
    }

    /// Writes what the fixes make of the file.
    pub fn write(&mut self) {
        let Some(rewrite) = self.rewrite.take() else { return };
        if let Err(error) = write::replace(&rewrite.path, &rewrite.content) {
            let arguments = [("file", self.filename.as_str()), ("why", &error.to_string())];
            *self = Self::failed(&self.filename, text("check-not-written", &arguments));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_file() {
        let examined = guarded("train.py", || panic!("{} is odd", 3));
        assert!(examined.findings.is_empty());
        let told = examined.errors.join("\n");
        assert!(told.contains("train.py") && told.contains("3 is odd"), "{told}");
    }
}
