//! `vramlens estimate`: how much GPU memory scripts and models need.

use std::path::{Path, PathBuf};

use crate::cli::arguments::{EstimateArguments, ListFormat};
use crate::cli::examine::{Examined, FixMode, Input, Origin, Run, examine};
use crate::cli::place::Places;
use crate::cli::render::{self, Subject};
use crate::cli::{Status, terminal};
use crate::estimate::{Estimate, Verdict};
use crate::texts::text;
use crate::workspace::files::Kind;
use crate::workspace::settings::SettingsFiles;
use crate::workspace::surroundings::Reader;

/// Estimates what each target needs and returns what the shell is told.
pub fn run(arguments: &EstimateArguments) -> Status {
    let files = SettingsFiles::default();
    let command_line = arguments.settings();
    let reader = Reader::of_process();
    let run = Run { command_line, files: &files, reader, fixes: FixMode::Tell, unsafe_fixes: false };
    let mut examined = Vec::new();
    let mut errors = Vec::new();
    for target in &arguments.targets {
        match Target::of(target) {
            Ok(Target::Document(path)) => {
                let input = Input { filename: target.clone(), origin: Origin::File(path) };
                examined.push(examine(&input, &run));
            }
            Err(error) => errors.push(error),
        }
    }
    errors.extend(examined.iter_mut().flat_map(|file| std::mem::take(&mut file.errors)));
    terminal::print(&match arguments.output_format {
        ListFormat::Json => render::estimates_json(&subjects(&examined)),
        ListFormat::Text => reports(&examined),
    });
    for error in &errors {
        terminal::error(error);
    }
    let estimates = examined.iter().flat_map(|file| &file.estimates);
    match errors.is_empty() {
        false => Status::Failed,
        true if estimates.into_iter().any(is_too_large) => Status::Findings,
        true => Status::Clean,
    }
}

/// What a word on the command line stands for.
enum Target {
    /// A script or a notebook.
    Document(PathBuf),
}

impl Target {
    fn of(word: &str) -> Result<Self, String> {
        let path = Path::new(word);
        if path.is_file() && Kind::of(path).is_some() {
            return Ok(Self::Document(path.to_owned()));
        }
        Err(text("estimate-not-a-target", &[("target", word)]))
    }
}

fn subjects(examined: &[Examined]) -> Vec<Subject<'_>> {
    let subjects = examined.iter().map(|file| Subject {
        name: &file.filename,
        places: Some(Places::new(&file.source)),
        estimates: &file.estimates,
    });
    subjects.collect()
}

fn reports(examined: &[Examined]) -> String {
    let analysed = examined.iter().filter(|file| file.analysed);
    let reports = analysed.map(|file| match file.estimates.as_slice() {
        [] => text("estimate-nothing", &[("file", &file.filename)]) + "\n",
        _ => render::reports(file),
    });
    reports.collect::<Vec<_>>().join("\n")
}

/// Whether it does not fit a card that it was judged against.
fn is_too_large(estimate: &Estimate) -> bool {
    let amount = estimate.amount.as_ref();
    amount.is_ok_and(|amount| amount.cards.iter().any(|card| card.verdict == Verdict::DoesNotFit))
}
