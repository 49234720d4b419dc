//! What the analysis of real files costs beside their bare parse: `cargo bench --bench folders -- FOLDER…`.
//!
//! Without a folder it takes the labelled cases. Prints, for each folder, how many files and lines it holds, what all
//! of it takes to parse and to analyse, and the middle and the slow end of the files' ratios.

#![allow(clippy::print_stdout, reason = "this is what it is for")]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use vramlens::analysis::analyze;
use vramlens::settings::Settings;
use vramlens::surroundings::Surroundings;
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
    println!(
        "{:<40} {:>6} {:>8} {:>10} {:>10} {:>8} {:>8}",
        "folder", "files", "lines", "parse", "analysis", "median", "p95"
    );
    let mut all = Totals::default();
    for folder in folders {
        let totals = Totals::of(&folder);
        totals.print(&folder.file_name().unwrap_or_default().to_string_lossy());
        all.add(totals);
    }
    all.print("all");
}

/// What the files of a folder take.
#[derive(Default)]
struct Totals {
    lines: usize,
    parse: Duration,
    analysis: Duration,
    ratios: Vec<f64>,
}

impl Totals {
    fn of(folder: &Path) -> Self {
        let mut totals = Self::default();
        let files = WalkBuilder::new(folder).build().filter_map(Result::ok);
        for entry in files.filter(|entry| entry.path().extension().is_some_and(|end| end == "py")) {
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            if text.lines().count() >= FEWEST_LINES {
                totals.measure(&text);
            }
        }
        totals
    }

    fn measure(&mut self, text: &str) {
        let document = Document::python(Source::file(text.to_owned()));
        let (surroundings, settings) = (Surroundings::default(), Settings::default());
        let parse = fastest(|| drop(black_box(Document::python(Source::file(text.to_owned())))));
        let analysis = fastest(|| drop(black_box(analyze(&document, &surroundings, &settings))));
        self.lines += text.lines().count();
        self.parse += parse;
        self.analysis += analysis;
        self.ratios.push(analysis.as_secs_f64() / parse.as_secs_f64());
    }

    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.parse += other.parse;
        self.analysis += other.analysis;
        self.ratios.extend(other.ratios);
    }

    fn print(&self, name: &str) {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        let at = |share: usize| ratios.get(ratios.len() * share / 100).copied().unwrap_or_default();
        println!(
            "{name:<40} {:>6} {:>8} {:>7.0} ms {:>7.0} ms {:>8.2} {:>8.2}",
            ratios.len(),
            self.lines,
            self.parse.as_secs_f64() * 1000.0,
            self.analysis.as_secs_f64() * 1000.0,
            at(50),
            at(95),
        );
    }
}

fn fastest(mut run: impl FnMut()) -> Duration {
    let time = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    std::iter::repeat_with(time).take(ROUNDS).min().unwrap_or_default()
}
