//! The language server over its real standard input and output: one test a promise.

#![allow(clippy::indexing_slicing, reason = "what is not in a JSON value is null, and no panic")]

mod across_files;
mod actions;
mod catalog;
mod diagnostics;
mod documents;
mod endings;
mod faults;
mod frames;
mod hover;
mod lifecycle;
mod order;
mod settings;
mod surroundings;

use std::path::Path;

use serde_json::{Value, json};
use vramlens_tests::session::Session;

/// The server under test.
fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_vramlens-with-faults"))
}

/// A session with a client that says nothing of itself.
fn plain() -> Session {
    Session::open(binary(), &json!({}))
}

/// A document that is on no disk.
const URI: &str = "file:///nowhere/train.py";

/// The line of [`SCRIPT`] that has a finding, counted from 0, and where on it the statement stands.
const LINE: u32 = 10;

/// A training script with one finding: the sum on [`LINE`] keeps the graph of every step.
const SCRIPT: &str = "\
import torch
data = torch.utils.data.TensorDataset(torch.randn(64, 10), torch.randint(2, (64,)))
loader = torch.utils.data.DataLoader(data, batch_size=4)
model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total_loss = 0.0
for x, y in loader:
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward(); optimizer.step(); optimizer.zero_grad()
    total_loss += loss
print(total_loss / len(loader))
";

/// A change of characters on one line.
fn edit(line: u32, characters: (u32, u32), text: &str) -> Value {
    json!({
        "range": {
            "start": { "line": line, "character": characters.0 },
            "end": { "line": line, "character": characters.1 },
        },
        "text": text,
    })
}

/// The lines that diagnostics start on.
fn lines(diagnostics: &Value) -> Vec<u64> {
    let diagnostics = diagnostics.as_array().map(Vec::as_slice).unwrap_or_default();
    diagnostics.iter().filter_map(|diagnostic| diagnostic["range"]["start"]["line"].as_u64()).collect()
}

/// The titles of actions.
fn titles(actions: &Value) -> Vec<&str> {
    let actions = actions.as_array().map(Vec::as_slice).unwrap_or_default();
    actions.iter().filter_map(|action| action["title"].as_str()).collect()
}

/// A client that pulls diagnostics and can be asked to pull again.
fn pulling() -> Value {
    json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    })
}
