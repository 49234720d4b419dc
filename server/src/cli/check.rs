//! `vramlens check`: which files, in which order, and what the shell is told.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::analysis::STACK_BYTES;
use crate::cli::arguments::{CheckArguments, OutputFormat};
use crate::cli::examine::{Examined, FixMode, Input, Origin, Run, examine};
use crate::cli::render::{self, Counts};
use crate::cli::{Status, fixing, terminal};
use crate::finding::Severity;
use crate::settings::PartialSettings;
use crate::texts::text;
use crate::workspace::files::Finder;
use crate::workspace::settings::{Excluded, SettingsFile, SettingsFiles};
use crate::workspace::surroundings::Reader;

/// Checks files and returns what the shell is told.
pub fn run(arguments: &CheckArguments) -> Status {
    let command_line = arguments.settings();
    let settings = Arc::new(SettingsFiles::default());
    let excluded = command_line.exclude.as_ref().map(Excluded::new);
    let finder = Finder { settings: Arc::clone(&settings), excluded };
    let (inputs, mut errors) = inputs(arguments, &finder);
    if inputs.is_empty() && errors.is_empty() {
        terminal::warning(&text("check-no-files", &[]));
    }
    let run = Run {
        command_line,
        files: &settings,
        reader: Reader::of_process(),
        fixes: fix_mode(arguments),
        unsafe_fixes: arguments.unsafe_fixes,
    };
    let mut examined = examine_all(&inputs, &run);
    let files = settings.found();
    examined.extend(files.iter().filter_map(|file| settings_file(file, &run.command_line)));
    examined.sort_by(|left, right| left.filename.cmp(&right.filename));
    errors.extend(examined.iter_mut().flat_map(|file| std::mem::take(&mut file.errors)));

    report(arguments, &examined);
    for error in &errors {
        terminal::error(error);
    }
    if !errors.is_empty() || files.iter().any(|file| file.broken) {
        return Status::Failed;
    }
    if arguments.exit_zero || !calls_for_attention(&examined, run.fixes) {
        return Status::Clean;
    }
    Status::Findings
}

fn fix_mode(arguments: &CheckArguments) -> FixMode {
    match (arguments.fix, arguments.diff) {
        (true, _) => FixMode::Write,
        (_, true) => FixMode::Diff,
        _ => FixMode::Tell,
    }
}

/// Examines the files, in an order that is right for their fixes, and writes those that are fixed.
fn examine_all(inputs: &[Input], run: &Run<'_>) -> Vec<Examined> {
    let all: Vec<usize> = (0..inputs.len()).collect();
    let examine_some = |some: &[usize]| -> Vec<Examined> {
        some.par_iter().filter_map(|at| Some(examine(inputs.get(*at)?, run))).collect()
    };
    let work = || {
        let mut examined = examine_some(&all);
        if run.fixes != FixMode::Tell {
            fixing::settle(&mut examined, run, examine_some);
        }
        fixing::write(&mut examined, run.fixes);
        examined
    };
    match rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        // A machine that gives no threads of this kind still gives its answer.
        Err(_) => work(),
    }
}

/// Whether there is something at warning or above, or a change to show.
fn calls_for_attention(examined: &[Examined], fixes: FixMode) -> bool {
    examined.iter().any(|file| match fixes {
        FixMode::Diff => !file.print.is_empty(),
        FixMode::Tell | FixMode::Write => {
            file.findings.iter().any(|finding| finding.severity >= Severity::Warning)
        }
    })
}

/// Prints findings to standard output; fixed input and diffs take its place when they are asked for.
fn report(arguments: &CheckArguments, examined: &[Examined]) {
    let counts = Counts::of(examined, arguments.unsafe_fixes);
    let printed: String = examined.iter().map(|file| file.print.as_str()).collect();
    let findings = match arguments.output_format {
        OutputFormat::Json => render::json(examined),
        OutputFormat::Concise => render::concise(examined) + &tail(examined, &counts),
        OutputFormat::Full => render::full(examined) + &tail(examined, &counts),
    };
    let reads_stdin = arguments.paths.iter().any(|path| is_stdin(path));
    match fix_mode(arguments) {
        FixMode::Tell => terminal::print(&findings),
        FixMode::Write if !reads_stdin => terminal::print(&findings),
        FixMode::Write => {
            terminal::print(&printed);
            terminal::print_error(&findings);
        }
        FixMode::Diff => {
            terminal::print(&printed);
            let settings = examined.iter().filter(|file| !file.analysed);
            terminal::print_error(&(render::concise(settings) + &counts.would_fix()));
        }
    }
}

/// What follows the findings: the estimates, and how many findings there are.
fn tail(examined: &[Examined], counts: &Counts) -> String {
    render::estimate_lines(examined) + &counts.summary()
}

/// The documents that the paths stand for, each once, and what is wrong with the paths.
fn inputs(arguments: &CheckArguments, finder: &Finder) -> (Vec<Input>, Vec<String>) {
    let mut inputs = Vec::new();
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for path in &arguments.paths {
        if is_stdin(path) {
            let name = arguments.stdin_filename.clone();
            let filename = name.as_ref().map_or("-".to_owned(), |name| display(name));
            inputs.push(Input { filename, origin: Origin::StandardInput(name) });
            continue;
        }
        for found in paths_under(path, finder) {
            match found {
                Ok(file) if seen.insert(std::path::absolute(&file).unwrap_or_default()) => {
                    inputs.push(Input { filename: display(&file), origin: Origin::File(file) });
                }
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
    }
    (inputs, errors)
}

/// The files of a folder, or the file itself.
fn paths_under(path: &Path, finder: &Finder) -> Vec<Result<PathBuf, String>> {
    if !path.is_dir() {
        return vec![Ok(path.to_owned())];
    }
    let found = finder.walk(path).map(|found| {
        found
            .map(|file| from_here(path, file))
            .map_err(|error| text("check-not-walked", &[("why", &error.to_string())]))
    });
    found.collect()
}

/// A file found under `.` is named without it.
fn from_here(folder: &Path, file: PathBuf) -> PathBuf {
    match file.strip_prefix(folder) {
        Ok(inside) if folder == Path::new(".") => inside.to_owned(),
        _ => file,
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

/// What a settings file is told of, if anything, under its name as seen from the current folder.
pub fn settings_file(file: &SettingsFile, command_line: &PartialSettings) -> Option<Examined> {
    if file.problems.is_empty() {
        return None;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let name = display(file.path.strip_prefix(&here).unwrap_or(&file.path));
    let settings = command_line.clone().over(file.settings.clone()).finish();
    Some(Examined::settings_file(&name, file, &settings))
}
