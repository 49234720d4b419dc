//! `vramlens`, built so that it fails when it is asked to.

use std::process::ExitCode;

fn main() -> ExitCode {
    vramlens::cli::main()
}
