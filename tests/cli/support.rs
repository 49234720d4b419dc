//! A folder to run the binary in, and what comes out.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A training loop with one finding: OOM101, a warning, with a safe fix.
pub const TRAINING: &str = "\
import torch

model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = torch.utils.data.TensorDataset(torch.randn(64, 10), torch.randint(0, 2, (64,)))
loader = torch.utils.data.DataLoader(dataset, batch_size=8)
total_loss = 0.0
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    total_loss += loss
print(total_loss / len(loader))
";

/// The same loop as it should be.
pub fn fixed() -> String {
    TRAINING.replace("total_loss += loss", "total_loss += loss.item()")
}

/// The row of the finding in [`TRAINING`].
pub const ROW: u64 = 14;

/// A folder of its own for one test.
pub struct Folder {
    folder: TempDir,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// A folder with one file, `train.py`, that has one finding.
    pub fn with_training() -> Self {
        Self::new().file("train.py", TRAINING)
    }

    /// With another file in it.
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Where a file of this folder is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file's content.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the binary here with these words behind it.
    pub fn run(&self, words: &[&str]) -> Outcome {
        Outcome::of(&self.command(words).output().unwrap())
    }

    /// Runs the binary here with a text on its standard input.
    pub fn run_with_input(&self, words: &[&str], input: &[u8]) -> Outcome {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(input).unwrap();
        Outcome::of(&process.wait_with_output().unwrap())
    }

    /// The binary, to run here, free of what the surroundings say about colour and threads.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = command(self.folder.path());
        command.args(words);
        command
    }
}

/// The binary, to run in a folder, free of what the surroundings say about colour and threads, and on a machine
/// without models and environments.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(vramlens_tests::binary());
    command.current_dir(folder).stdin(Stdio::null());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RAYON_NUM_THREADS"] {
        command.env_remove(variable);
    }
    vramlens_tests::machine::alone(&mut command);
    command
}

/// What a run of the binary left.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// From a process that has ended.
    pub fn of(output: &Output) -> Self {
        Self {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Standard output as a JSON array.
    pub fn json(&self) -> Vec<serde_json::Value> {
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The codes in standard output's JSON array.
    pub fn codes(&self) -> Vec<String> {
        self.json().iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
    }
}
