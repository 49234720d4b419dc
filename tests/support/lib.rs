//! What the black-box tests share: the binary under test and how to run it.

pub mod machine;
pub mod session;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The `vramlens` binary, built from the current sources once for each test program. The variable
/// `VRAMLENS_BINARY` names another one.
///
/// # Panics
/// The binary cannot be built.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os("VRAMLENS_BINARY") {
        Some(path) => PathBuf::from(path),
        None => build(),
    })
}

/// The root of the workspace.
pub fn workspace_root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests)
}

/// Builds the binary in the profile that this test program was built in. Cargo does not do it for us:
/// it builds binaries only for the tests of their own package.
fn build() -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--quiet", "--package", "vramlens", "--bin", "vramlens"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let status = cargo.current_dir(workspace_root()).status();
    assert!(status.is_ok_and(|status| status.success()), "cargo could not build vramlens");
    // The test program stands in `<target>/<profile>/deps`.
    let program = std::env::current_exe().unwrap_or_default();
    let profile = program.ancestors().nth(2).unwrap_or(Path::new(""));
    profile.join(format!("vramlens{}", std::env::consts::EXE_SUFFIX))
}
