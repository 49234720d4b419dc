//! The `vramlens` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    vramlens::cli::main()
}
