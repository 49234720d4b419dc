//! What the analysis of real files costs beside their bare parse: `cargo bench --bench folders -- FOLDER…`.
//!
//! Without a folder it takes the labelled cases. Prints, for each folder, how many files and lines it holds, what all
//! of it takes to parse, to analyse file by file, and to analyse with the files that each imports and is called from, as
//! `vramlens check` does; for both the middle and the slow end of the files' ratios to their parse.

#![allow(clippy::print_stdout, reason = "this is what it is for")]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use vramlens::analysis::analyze;
use vramlens::settings::Settings;
use vramlens::surroundings::Surroundings;
use vramlens::workspace::surroundings::Reader;
use vramlens_grammars::{Document, Source};

/// How often a file is parsed and analysed; the fastest time counts, which is the one that nothing else disturbed.
const ROUNDS: usize = 3;

/// Shorter files say more about the clock than about the analysis.
const FEWEST_LINES: usize = 20;

fn main() {
    let given: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    let cases = || vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases")];
    let folders = if given.is_empty() { cases() } else { given };
    let cost = format!("{:>10} {:>8} {:>8}", "analysis", "median", "p95");
    let with_imports = format!("{:>12} {:>8} {:>8}", "with imports", "median", "p95");
    println!("{:<40} {:>6} {:>8} {:>10} {cost} {with_imports}", "folder", "files", "lines", "parse");
    let mut all = Totals::default();
    for folder in folders {
        let totals = Totals::of(&folder);
        totals.print(&folder.file_name().unwrap_or_default().to_string_lossy());
        all.add(totals);
    }
    all.print("all");
}

/// A file of a folder, and what its bare parse takes.
struct Parsed {
    path: PathBuf,
    document: Document,
    parse: Duration,
}

impl Parsed {
    /// A file that is long enough to tell something.
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok().filter(|text| text.lines().count() >= FEWEST_LINES)?;
        let parse = fastest(|| drop(black_box(Document::python(Source::file(text.clone())))));
        Some(Self {
            path: std::path::absolute(path).ok()?,
            document: Document::python(Source::file(text)),
            parse,
        })
    }
}

/// What the files of a folder take.
#[derive(Default)]
struct Totals {
    lines: usize,
    parse: Duration,
    alone: Cost,
    with_imports: Cost,
}

/// What some kind of analysis takes: all files together, and each in terms of its parse.
#[derive(Default)]
struct Cost {
    time: Duration,
    ratios: Vec<f64>,
}

impl Totals {
    fn of(folder: &Path) -> Self {
        let entries = WalkBuilder::new(folder).sort_by_file_path(Path::cmp).build().filter_map(Result::ok);
        let scripts = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "py"));
        let files: Vec<Parsed> = scripts.filter_map(|entry| Parsed::read(entry.path())).collect();
        let mut totals = Self::default();
        for (file, with_imports) in files.iter().zip(with_imports(&files)) {
            totals.lines += file.document.source.text().lines().count();
            totals.parse += file.parse;
            totals.alone.take(alone(file), file.parse);
            totals.with_imports.take(with_imports, file.parse);
        }
        totals
    }

    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.parse += other.parse;
        self.alone.add(other.alone);
        self.with_imports.add(other.with_imports);
    }

    fn print(&self, name: &str) {
        println!(
            "{name:<40} {:>6} {:>8} {:>7.0} ms {} {:>2}{}",
            self.alone.ratios.len(),
            self.lines,
            self.parse.as_secs_f64() * 1000.0,
            self.alone,
            "",
            self.with_imports,
        );
    }
}

impl Cost {
    fn take(&mut self, time: Duration, parse: Duration) {
        self.time += time;
        self.ratios.push(time.as_secs_f64() / parse.as_secs_f64());
    }

    fn add(&mut self, other: Self) {
        self.time += other.time;
        self.ratios.extend(other.ratios);
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        let at = |share: usize| ratios.get(ratios.len() * share / 100).copied().unwrap_or_default();
        write!(formatter, "{:>7.0} ms {:>8.2} {:>8.2}", self.time.as_secs_f64() * 1000.0, at(50), at(95))
    }
}

/// What the analysis of one file takes that knows nothing of any other.
fn alone(file: &Parsed) -> Duration {
    let (surroundings, settings) = (Surroundings::default(), Settings::default());
    fastest(|| drop(black_box(analyze(&file.document, &surroundings, &settings))))
}

/// What each file takes with those that it imports. As on the command line, what was read for one file is there for the
/// next, and each round starts with nothing.
fn with_imports(files: &[Parsed]) -> Vec<Duration> {
    let mut fastest = vec![Duration::MAX; files.len()];
    for _ in 0..ROUNDS {
        let reader = Reader::of_process();
        for (file, fastest) in files.iter().zip(&mut fastest) {
            let start = Instant::now();
            let mut surroundings = reader.around(file.path.parent().unwrap_or(&file.path));
            let settings = Settings::default();
            drop(black_box(reader.analyze(&file.document, &mut surroundings, &settings, &file.path)));
            *fastest = start.elapsed().min(*fastest);
        }
    }
    fastest
}

fn fastest(mut run: impl FnMut()) -> Duration {
    let time = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    std::iter::repeat_with(time).take(ROUNDS).min().unwrap_or_default()
}
