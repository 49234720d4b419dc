//! `--fix`, `--unsafe-fixes` and `--diff`.

use crate::support::{Folder, TRAINING, fixed};

#[test]
fn fix_writes_what_it_says_and_reports_what_is_left() {
    let folder = Folder::with_training();
    let outcome = folder.run(&["check", "--fix"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    assert_eq!(outcome.stdout, "fixed 1 finding in 1 file; no findings in 1 file\n");
    assert_eq!(folder.read("train.py"), fixed());
}

#[test]
fn fixing_twice_is_fixing_once() {
    let folder = Folder::new().file("train.py", format!("{TRAINING}{}", TRAINING.replace("total", "sum")));
    folder.run(&["check", "--fix"]);
    let once = folder.read("train.py");
    let again = folder.run(&["check", "--fix"]);
    assert_eq!(folder.read("train.py"), once);
    assert!(!again.stdout.contains("fixed"), "{}", again.stdout);
    assert_eq!(folder.run(&["check", "--diff"]).status, 0);
}

/// A function whose callers, in other files, may want the graph: its fix is unsafe.
const HANDED_OUT: &str = "\
import torch

model = torch.nn.Linear(10, 2).cuda()


def predict(batches):
    model.eval()
    for batch in batches:
        last = model(batch.cuda())
    return last
";

#[test]
fn unsafe_fixes_are_applied_only_when_they_are_asked_for() {
    let folder = Folder::new().file("predict.py", HANDED_OUT);
    let told = folder.run(&["check"]);
    assert!(
        told.stdout.ends_with("1 error in 1 file; 1 fixable with --fix --unsafe-fixes\n"),
        "{}",
        told.stdout
    );
    for words in [&["check", "--fix"][..], &["check", "--unsafe-fixes"]] {
        assert_eq!(folder.run(words).status, 1, "{words:?}");
        assert_eq!(folder.read("predict.py"), HANDED_OUT, "{words:?}");
    }
    assert_eq!(folder.run(&["check", "--diff"]).status, 0);
    let diff = folder.run(&["check", "--diff", "--unsafe-fixes"]);
    assert_eq!(diff.status, 1);
    assert!(diff.stdout.contains("\n+@torch.no_grad()\n def predict(batches):\n"), "{}", diff.stdout);
    assert_eq!(folder.run(&["check", "--fix", "--unsafe-fixes"]).status, 0);
    let decorated = HANDED_OUT.replace("def predict", "@torch.no_grad()\ndef predict");
    assert_eq!(folder.read("predict.py"), decorated);
}

#[test]
fn safe_and_unsafe_fixes_are_counted_apart() {
    let folder = Folder::with_training().file("predict.py", HANDED_OUT);
    let told = folder.run(&["check"]).stdout;
    let summary = "1 error, 1 warning in 2 files; 1 fixable with --fix; 1 more with --fix --unsafe-fixes";
    assert_eq!(told.lines().last(), Some(summary));
    let told = folder.run(&["check", "--unsafe-fixes"]).stdout;
    assert_eq!(told.lines().last(), Some("1 error, 1 warning in 2 files; 2 fixable with --fix"));
    let told = folder.run(&["check", "--fix"]).stdout;
    let summary = "fixed 1 finding in 1 file; 1 error in 1 file; 1 fixable with --fix --unsafe-fixes";
    assert_eq!(told.lines().last(), Some(summary));
}

#[test]
fn what_is_not_selected_is_not_fixed() {
    let folder = Folder::with_training();
    assert_eq!(folder.run(&["check", "--fix", "--ignore", "OOM101"]).status, 0);
    assert_eq!(folder.read("train.py"), TRAINING);
}

#[test]
fn a_clean_file_is_not_touched() {
    let folder = Folder::new().file("train.py", fixed());
    let before = std::fs::metadata(folder.path("train.py")).unwrap().modified().unwrap();
    folder.run(&["check", "--fix"]);
    assert_eq!(std::fs::metadata(folder.path("train.py")).unwrap().modified().unwrap(), before);
}

#[test]
fn a_byte_order_mark_and_line_ends_are_kept() {
    for (mark, line_end) in [("\u{feff}", "\n"), ("", "\r\n"), ("\u{feff}", "\r\n")] {
        let folder = Folder::new().file("train.py", format!("{mark}{}", TRAINING.replace('\n', line_end)));
        assert_eq!(folder.run(&["check", "--fix"]).status, 0);
        assert_eq!(folder.read("train.py"), format!("{mark}{}", fixed().replace('\n', line_end)));
    }
}

#[test]
fn diff_shows_the_change_and_writes_nothing() {
    let folder = Folder::with_training();
    let outcome = folder.run(&["check", "--diff"]);
    assert_eq!(outcome.status, 1);
    assert_eq!(outcome.stderr, "--fix would fix 1 finding in 1 file\n");
    insta::assert_snapshot!(outcome.stdout);
    assert_eq!(folder.read("train.py"), TRAINING);
    assert_eq!(std::fs::read_dir(folder.path(".")).unwrap().count(), 1);
}

#[test]
fn diff_without_a_change_is_empty_and_zero() {
    let outcome = Folder::new().file("train.py", fixed()).run(&["check", "--diff"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (0, ""));
}

#[test]
fn standard_input_comes_out_fixed() {
    let outcome = Folder::new().run_with_input(&["check", "--fix", "-"], TRAINING.as_bytes());
    assert_eq!((outcome.status, outcome.stdout), (0, fixed()));
    assert_eq!(outcome.stderr, "fixed 1 finding in 1 file; no findings in 1 file\n");
    // A text with nothing to fix comes out as it went in, so that it can stand in a pipe.
    let outcome = Folder::new().run_with_input(&["check", "--fix", "-"], fixed().as_bytes());
    assert_eq!(outcome.stdout, fixed());
}

#[test]
fn fix_and_diff_exclude_each_other() {
    let outcome = Folder::with_training().run(&["check", "--fix", "--diff"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("--fix") && outcome.stderr.contains("--diff"));
}

#[test]
fn a_file_that_may_not_be_written_is_named_and_kept() {
    let folder = Folder::with_training().file("other.py", TRAINING);
    let path = folder.path("train.py");
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let outcome = folder.run(&["check", "--fix"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("train.py: the fixes could not be written"), "{}", outcome.stderr);
    assert_eq!((folder.read("train.py"), folder.read("other.py")), (TRAINING.to_owned(), fixed()));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new().file("real/train.py", TRAINING);
    let path = folder.path("real/train.py");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    std::os::unix::fs::symlink(&path, folder.path("link.py")).unwrap();
    folder.run(&["check", "--fix", "link.py"]);
    assert_eq!(folder.read("real/train.py"), fixed());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o751);
    assert!(std::fs::symlink_metadata(folder.path("link.py")).unwrap().is_symlink());
    assert_eq!(std::fs::read_dir(folder.path("real")).unwrap().count(), 1);
}

/// A function that returns a sum with its graph, and a script that collects what it returns.
const MEAN: &str = "\
import torch

criterion = torch.nn.CrossEntropyLoss()


def run(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
    return total
";
const COLLECTS: &str = "\
import torch
from zeta import run

model = torch.nn.Linear(10, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(100):
    losses.append(run(model, torch.utils.data.DataLoader(dataset), optimizer))
";

#[test]
fn a_file_is_fixed_after_those_that_it_imports_as_they_will_be() {
    let folder = Folder::new().file("alpha.py", COLLECTS).file("zeta.py", MEAN).file("pyproject.toml", "");
    let told = folder.run(&["check"]).stdout;
    assert!(told.contains("alpha.py:8") && told.contains("zeta.py:13"), "{told}");
    let diff = folder.run(&["check", "--diff"]).stdout;
    assert!(diff.contains("zeta.py") && !diff.contains("alpha.py"), "{diff}");
    folder.run(&["check", "--fix"]);
    assert_eq!(folder.read("zeta.py"), MEAN.replace("+= loss", "+= loss.detach()"));
    assert_eq!(folder.read("alpha.py"), COLLECTS);
    assert!(!folder.run(&["check"]).stdout.contains("alpha.py:8"));
}

#[test]
fn files_that_import_each_other_are_fixed_all_the_same() {
    let folder = Folder::new().file("alpha.py", format!("{COLLECTS}{TRAINING}"));
    let folder = folder.file("zeta.py", format!("import alpha\n{MEAN}")).file("pyproject.toml", "");
    folder.run(&["check", "--fix"]);
    let once = [folder.read("alpha.py"), folder.read("zeta.py")];
    assert!(
        once.iter().all(|text| text.contains("loss.detach()") || text.contains("loss.item()")),
        "{once:?}"
    );
    folder.run(&["check", "--fix"]);
    assert_eq!([folder.read("alpha.py"), folder.read("zeta.py")], once);
}
