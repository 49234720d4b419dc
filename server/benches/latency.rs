//! How long a keystroke takes, and what of it is parsing: `cargo bench`.
//!
//! Prints, for scripts of two sizes with few and with many findings, the bare parse, the whole analysis of a parsed document, and the
//! time from a one-character edit to its diagnostics, through the real process and its pipes: in a function in the middle
//! of the script, and in a constant at its top that all its functions read.

#![allow(clippy::print_stdout, reason = "this is what it is for")]
#![allow(missing_docs, reason = "a program, not a library")]

#[path = "../../tests/support/machine.rs"]
#[allow(dead_code, reason = "the tests use the rest of it")]
mod machine;
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

/// How many hovers are timed, over so many loads of these models.
const HOVERS: usize = 200;
const LOADS: usize = 20;
const MODELS: [&str; 4] =
    ["gpt2", "meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-7B-Instruct", "someone/unknown-7b"];

/// How often the server is started.
const STARTS: usize = 20;

/// What is edited at the top of the script, and in each of its functions: a digit is added behind it.
const CONSTANT: &str = "BATCH = 4";
const IN_FUNCTION: &str = "epochs=3";

fn main() {
    println!(
        "{:>7}  {:>8}  {:>10}  {:>24}  {:>24}  {:>24}  {:>24}",
        "lines", "findings", "bytes", "parse", "analysis", "edit in a function", "edit of a constant"
    );
    for (lines, every) in [(1_000, 20), (1_000, 1), (10_000, 20), (10_000, 1)] {
        let text = script(lines, every);
        let document = Document::python(Source::file(text.clone()));
        let settings = Settings::default();
        let parse = time(|| drop(black_box(Document::python(Source::file(text.clone())))));
        let analysis = time(|| drop(black_box(analyze(&document, &Surroundings::default(), &settings))));
        let (count, bytes) = (text.lines().count(), text.len());
        let findings = analyze(&document, &Surroundings::default(), &settings).findings.len();
        let (function, constant) = (keystroke(&text, IN_FUNCTION), keystroke(&text, CONSTANT));
        println!("{count:>7}  {findings:>8}  {bytes:>10}  {parse}  {analysis}  {function}  {constant}");
    }
    println!("{:>27}  {}  of at most 10 ms", "hover", hover(&with_loads(script(1_000, 20))));
    println!("{:>27}  {}  of at most 50 ms", "start to initialized", start());
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

/// A script that loads models at its end, too.
fn with_loads(mut text: String) -> String {
    text += "\nfrom transformers import AutoModelForCausalLM\n";
    for load in 0..LOADS {
        let model = MODELS.get(load % MODELS.len()).copied().unwrap_or_default();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "model_{load} = AutoModelForCausalLM.from_pretrained(\"{model}\").cuda()");
    }
    text
}

/// Times hovers over the models of a script, one after the other.
fn hover(text: &str) -> Times {
    let uri = "file:///nowhere/load.py";
    let mut session = Session::open(Path::new(env!("CARGO_BIN_EXE_vramlens")), &json!({}));
    session.open_document(uri, text);
    session.diagnostics(uri, 1);
    let places =
        text.lines().enumerate().filter_map(|(line, text)| Some((line, text.find("from_pretrained")?)));
    let places: Vec<(usize, usize)> = places.collect();
    assert_eq!(places.len(), LOADS);
    let mut places = places.iter().cycle();
    let times = Times::of(HOVERS, || {
        let (line, character) = places.next().copied().unwrap_or_default();
        let position = json!({ "line": line, "character": character });
        let start = Instant::now();
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let hover = session.request("textDocument/hover", params);
        let time = start.elapsed();
        assert!(hover.is_object(), "no hover at {position}");
        time
    });
    session.close();
    times
}

/// Times the server from its start until it has answered `initialize`.
fn start() -> Times {
    Times::of(STARTS, || {
        let start = Instant::now();
        let session = Session::open(Path::new(env!("CARGO_BIN_EXE_vramlens")), &json!({}));
        let time = start.elapsed();
        session.close();
        time
    })
}

/// Times edits of one character, typed behind `edited` where it stands nearest to the middle and taken back, each until
/// its diagnostics are there.
fn keystroke(text: &str, edited: &str) -> Times {
    let uri = "file:///nowhere/train.py";
    let mut session = Session::open(Path::new(env!("CARGO_BIN_EXE_vramlens")), &json!({}));
    session.open_document(uri, text);
    session.diagnostics(uri, 1);
    let places: Vec<(usize, usize)> = text
        .lines()
        .enumerate()
        .filter_map(|(line, text)| Some((line, text.find(edited)? + edited.len())))
        .collect();
    let (line, column) = places.get(places.len() / 2).copied().unwrap_or_default();
    let mut version = 1;
    let times = time(|| {
        version += 1;
        let (end, typed) = if version % 2 == 0 { (column, "0") } else { (column + 1, "") };
        let range = json!({
            "start": { "line": line, "character": column },
            "end": { "line": line, "character": end },
        });
        session.change(uri, version, &[json!({ "range": range, "text": typed })]);
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

impl Times {
    /// The times that a thing takes, done so many times.
    fn of(rounds: usize, time: impl FnMut() -> Duration) -> Self {
        let mut times: Vec<Duration> = std::iter::repeat_with(time).take(rounds).collect();
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
        Self { median: at(50), slow: at(95) }
    }
}

fn time(mut run: impl FnMut()) -> Times {
    Times::of(ROUNDS, || {
        let start = Instant::now();
        run();
        start.elapsed()
    })
}
