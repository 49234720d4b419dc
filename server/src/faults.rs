//! Faults on request, for the tests of what has to survive them. No release has this module.

use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::finding::Finding;

/// How many times to look for a file before going on without it.
const STEPS: usize = 30_000;

/// Goes wrong before any rule runs, when the text asks for it: by `# vramlens-fault: analysis-panic`,
/// or by waiting until the file named by `# vramlens-fault: wait PATH` is there.
///
/// # Panics
/// When asked to.
pub fn before_rules(text: &str) {
    assert!(!asks(text, "analysis-panic"), "a fault that was asked for");
    wait(text, "wait");
}

/// Waits until the file named by `# vramlens-fault: slow-disk PATH` is there, before anything is read.
pub fn before_reading(text: &str) {
    wait(text, "slow-disk");
}

fn wait(text: &str, fault: &str) {
    let fault = format!("# vramlens-fault: {fault} ");
    let path = text.lines().find_map(|line| line.split_once(&fault));
    let mut steps = 0..STEPS;
    while path.is_some_and(|(_, path)| !Path::new(path.trim()).exists()) && steps.next().is_some() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// A rule that panics when the text says `# vramlens-fault: rule-panic`.
///
/// # Panics
/// When asked to.
pub fn rule(text: &str) -> Vec<Finding> {
    assert!(!asks(text, "rule-panic"), "a fault that was asked for");
    Vec::new()
}

fn asks(text: &str, fault: &str) -> bool {
    text.contains(&format!("# vramlens-fault: {fault}"))
}
