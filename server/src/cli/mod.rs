//! The terminal edge, and nothing but the terminal.

mod arguments;
mod check;
mod estimate;
mod examine;
mod fixing;
mod gpus;
mod models;
mod place;
mod render;
mod rule;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::lsp;
use arguments::{Command, CommandLine};

/// What a command says to the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing at warning or above.
    Clean = 0,
    /// Findings at warning or above, or changes to show.
    Findings = 1,
    /// It could not do its work.
    Failed = 2,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
    }
}

/// Runs the command line and returns its exit status.
pub fn main() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => {
            // Nobody is left to tell when the terminal is gone.
            let _ = error.print();
            return if error.use_stderr() { Status::Failed.into() } else { ExitCode::SUCCESS };
        }
    };
    match command_line.command {
        Some(Command::Check(arguments)) => check::run(&arguments).into(),
        Some(Command::Estimate(arguments)) => estimate::run(&arguments).into(),
        Some(Command::Gpus(arguments)) => gpus::run(&arguments).into(),
        Some(Command::Models(arguments)) => models::run(&arguments).into(),
        Some(Command::Rule(arguments)) => rule::run(&arguments).into(),
        Some(Command::Server(_)) => lsp::serve(),
        None if command_line.stdio => lsp::serve(),
        None => Status::Failed.into(),
    }
}
