//! `vramlens estimate`: how much GPU memory scripts and models need.

mod model;
mod target;

use crate::cli::arguments::{EstimateArguments, ListFormat};
use crate::cli::check::settings_file;
use crate::cli::estimate::model::Model;
use crate::cli::estimate::target::Target;
use crate::cli::examine::{Examined, FixMode, Input, Origin, Run, examine};
use crate::cli::place::Places;
use crate::cli::render::{self, Subject};
use crate::cli::{Status, terminal};
use crate::estimate::{Estimate, Verdict};
use crate::texts::text;
use crate::workspace::settings::SettingsFiles;
use crate::workspace::surroundings::Reader;

/// What was estimated of one target.
enum Answer {
    /// Of a script or a notebook.
    Document(Box<Examined>),
    /// Of a model.
    Model(Model),
}

/// Estimates what each target needs and returns what the shell is told.
pub fn run(arguments: &EstimateArguments) -> Status {
    let files = SettingsFiles::default();
    let command_line = arguments.settings();
    let reader = Reader::of_process();
    let run = Run { command_line, files: &files, reader, fixes: FixMode::Tell, unsafe_fixes: false };
    let mut answers = Vec::new();
    let mut errors = Vec::new();
    for word in &arguments.targets {
        match Target::of(word).map(|target| answer(word, target, &run)) {
            Ok(mut answer) => {
                errors.extend(answer.errors());
                answers.push(answer);
            }
            Err(error) => errors.push(error),
        }
    }
    terminal::print(&match arguments.output_format {
        ListFormat::Json => render::estimates_json(&answers.iter().map(Answer::subject).collect::<Vec<_>>()),
        ListFormat::Text => answers.iter().filter_map(Answer::report).collect::<Vec<_>>().join("\n"),
    });
    let settings = files.found();
    let told: Vec<Examined> =
        settings.iter().filter_map(|file| settings_file(file, &run.command_line)).collect();
    terminal::print_error(&render::concise(&told));
    for error in &errors {
        terminal::error(error);
    }
    if !errors.is_empty() || settings.iter().any(|file| file.broken) {
        return Status::Failed;
    }
    if answers.iter().any(Answer::is_too_large) { Status::Findings } else { Status::Clean }
}

fn answer(word: &str, target: Target, run: &Run<'_>) -> Answer {
    match target {
        Target::Document(path) => {
            let input = Input { filename: word.to_owned(), origin: Origin::File(path) };
            Answer::Document(Box::new(examine(&input, run)))
        }
        Target::Model => Answer::Model(Model::new(word, run)),
    }
}

impl Answer {
    /// What went wrong, each a sentence.
    fn errors(&mut self) -> Vec<String> {
        match self {
            Self::Document(file) => std::mem::take(&mut file.errors),
            Self::Model(model) => model.error().into_iter().collect(),
        }
    }

    fn subject(&self) -> Subject<'_> {
        match self {
            Self::Document(file) => Subject {
                name: &file.filename,
                places: Some(Places::new(&file.source)),
                estimates: &file.estimates,
            },
            Self::Model(model) => Subject { name: &model.name, places: None, estimates: &model.estimates },
        }
    }

    /// The estimates as text; `None` when there are none, and an error says why.
    fn report(&self) -> Option<String> {
        match self {
            Self::Document(file) if !file.analysed => None,
            Self::Document(file) if file.estimates.is_empty() => {
                Some(text("estimate-nothing", &[("file", &file.filename)]) + "\n")
            }
            Self::Document(file) => Some(render::reports(file)),
            Self::Model(model) => model.report(),
        }
    }

    /// Whether something does not fit a card that it was judged against.
    fn is_too_large(&self) -> bool {
        let fails = |estimate: &Estimate| {
            let amount = estimate.amount.as_ref();
            amount.is_ok_and(|amount| amount.cards.iter().any(|card| card.verdict == Verdict::DoesNotFit))
        };
        match self {
            Self::Document(file) => file.estimates.iter().any(fails),
            // The other precisions are there to choose from.
            Self::Model(model) => model.estimates.first().is_some_and(fails),
        }
    }
}
