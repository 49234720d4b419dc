//! The `vramlens` binary.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The analysis makes and drops many small things, which this allocator does in a third of the time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    vramlens::cli::main()
}
