//! How long a keystroke takes, and what of it is parsing: `cargo bench`.
//!
//! Prints, for scripts of two sizes with few and with many findings, the bare parse, the whole analysis of a parsed document, and the
//! time from a one-character edit to its diagnostics, through the real process and its pipes.

#![allow(clippy::print_stdout, reason = "this is what it is for")]
#![allow(missing_docs, reason = "a program, not a library")]

#[path = "../../tests/support/session.rs"]
#[allow(dead_code, reason = "the tests use the rest of it")]
mod session;

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use session::Session;
use vramlens::analysis::analyze;
use vramlens::settings::Settings;
use vramlens::surroundings::Surroundings;
use vramlens_grammars::{Document, Source};

/// How often each thing is timed.
const ROUNDS: usize = 40;

/// The line of the script that is edited: the constant at its top.
const EDITED_LINE: u32 = 1;

fn main() {
    println!(
        "{:>7}  {:>8}  {:>10}  {:>24}  {:>24}  {:>24}",
        "lines", "findings", "bytes", "parse", "analysis", "edit to diagnostics"
    );
    for (lines, every) in [(1_000, 20), (1_000, 1), (10_000, 20), (10_000, 1)] {
        let text = script(lines, every);
        let document = Document::python(Source::file(text.clone()));
        let settings = Settings::default();
        let parse = time(|| drop(black_box(Document::python(Source::file(text.clone())))));
        let analysis = time(|| drop(black_box(analyze(&document, &Surroundings::default(), &settings))));
        let (count, bytes) = (text.lines().count(), text.len());
        let findings = analyze(&document, &Surroundings::default(), &settings).findings.len();
        println!("{count:>7}  {findings:>8}  {bytes:>10}  {parse}  {analysis}  {}", keystroke(&text));
    }
}

/// A training script of about so many lines, with a finding in one of so many of its functions.
fn script(lines: usize, every: usize) -> String {
    let mut text = "import torch\nBATCH = 4\n".to_owned();
    let mut index = 0;
    while text.lines().count() < lines {
        index += 1;
        let added = if index % every == 0 { "loss" } else { "loss.item()" };
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            r#"

def train_{index}(data, epochs=3, rate=0.1):
    """Trains one model and returns its mean loss."""
    model = torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.ReLU(), torch.nn.Linear(20, 2)).cuda()
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    loader = torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True)
    for epoch in range(epochs):
        total_loss = 0.0
        correct = 0
        for step, (x, y) in enumerate(loader):
            output = model(x.cuda())
            loss = criterion(output, y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total_loss += {added}
            correct += (output.argmax(dim=1) == y.cuda()).sum().item()
            if step % 100 == 0:
                print(f"epoch {{epoch}} step {{step}}: {{total_loss / (step + 1):.3f}} {{correct}}")
    return total_loss / len(loader)
"#
        );
    }
    text
}

/// Times edits of one character, typed and taken back, each until its diagnostics are there.
fn keystroke(text: &str) -> Times {
    let uri = "file:///nowhere/train.py";
    let mut session = Session::open(Path::new(env!("CARGO_BIN_EXE_vramlens")), &json!({}));
    session.open_document(uri, text);
    session.diagnostics(uri, 1);
    let mut version = 1;
    let times = time(|| {
        version += 1;
        let typed = if version % 2 == 0 { (9, "0") } else { (10, "") };
        let range = json!({
            "start": { "line": EDITED_LINE, "character": 9 },
            "end": { "line": EDITED_LINE, "character": typed.0 },
        });
        session.change(uri, version, &[json!({ "range": range, "text": typed.1 })]);
        session.diagnostics(uri, version);
    });
    session.close();
    times
}

/// The middle and the slow end of a series of timings.
struct Times {
    median: Duration,
    slow: Duration,
}

impl std::fmt::Display for Times {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        let (median, slow) = (milliseconds(self.median), milliseconds(self.slow));
        write!(formatter, "{median:>8.2} ms, p95 {slow:>6.2} ms")
    }
}

fn time(mut run: impl FnMut()) -> Times {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    Times { median: at(50), slow: at(95) }
}
