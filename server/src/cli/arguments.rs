//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::settings::{Exclude, PartialSettings, known_code, known_gpu, valid_glob};

/// Tells which line of a training or serving script will exhaust GPU memory.
#[derive(Debug, Parser)]
#[command(name = "vramlens", version, arg_required_else_help = true, max_term_width = 100)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Run the language server over standard input and output, like `vramlens server`.
    #[arg(long)]
    pub stdio: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look for lines that waste or exhaust GPU memory.
    Check(Box<CheckArguments>),
    /// Tell how much GPU memory scripts and models need.
    Estimate(EstimateArguments),
    /// List the cards that can be named, and what they have.
    Gpus(ListArguments),
    /// List the models that are known by their names.
    Models(ListArguments),
    /// Explain a rule, or list all rules.
    Rule(RuleArguments),
    /// Run the language server over standard input and output.
    Server(ServerArguments),
}

/// The arguments of `vramlens check`.
///
/// Exit status: 0 when nothing at warning or above was found, 1 when something was, 2 when a file, a
/// setting or an argument could not be used.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "flags are what they are")]
#[command(after_help = "Exit status: 0 nothing at warning or above, 1 findings, 2 it could not do its work.")]
pub struct CheckArguments {
    /// Files and folders; `-` reads standard input. Folders are walked, respecting `.gitignore`.
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,

    /// The name to give to standard input; it also decides the kind of file and the settings.
    #[arg(long, value_name = "FILE")]
    pub stdin_filename: Option<PathBuf>,

    /// How to print what was found.
    #[arg(long, value_enum, default_value_t = OutputFormat::Full)]
    pub output_format: OutputFormat,

    /// Report only these codes, or codes that start like this.
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = known_code)]
    pub select: Vec<String>,

    /// Do not report these codes, or codes that start like this.
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = known_code)]
    pub ignore: Vec<String>,

    /// Leave out files and folders; globs as in a `.gitignore`. Paths named outright are checked.
    #[arg(long, value_name = "GLOB", value_delimiter = ',', value_parser = valid_glob)]
    pub exclude: Vec<String>,

    /// The card, or the size of its memory, to judge against.
    #[arg(long, value_name = "NAME|SIZE", value_parser = known_gpu)]
    pub gpu: Option<String>,

    /// Apply the safe fixes and report what is left.
    #[arg(long)]
    pub fix: bool,

    /// With `--fix` or `--diff`, take in fixes that may change numbers, speed or output.
    #[arg(long)]
    pub unsafe_fixes: bool,

    /// Print what `--fix` would change and write nothing; exit status 1 if there is any change.
    #[arg(long, conflicts_with = "fix")]
    pub diff: bool,

    /// Exit with 0 even when there are findings.
    #[arg(long)]
    pub exit_zero: bool,
}

/// How to print what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// With the lines of code and what to do.
    Full,
    /// One line each.
    Concise,
    /// An array of objects.
    Json,
}

/// The arguments of `vramlens estimate`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit status: 0 estimated, 1 something does not fit the card, 2 it could not do its work."
)]
pub struct EstimateArguments {
    /// A script, a notebook, a model's id, a folder with a model's files, or a `.safetensors` file.
    #[arg(value_name = "TARGET", required = true)]
    pub targets: Vec<String>,

    /// The card, or the size of its memory, to judge against.
    #[arg(long, value_name = "NAME|SIZE", value_parser = known_gpu)]
    pub gpu: Option<String>,

    /// How to print the estimates.
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub output_format: ListFormat,
}

/// The arguments of `vramlens gpus` and `vramlens models`.
#[derive(Args, Debug)]
pub struct ListArguments {
    /// List only what has these words in it, in any case.
    pub filter: Option<String>,

    /// How to print the list.
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub output_format: ListFormat,
}

/// How to print what is not about lines of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// To read.
    Text,
    /// An array of objects.
    Json,
}

/// The arguments of `vramlens rule`.
#[derive(Args, Debug)]
pub struct RuleArguments {
    /// A rule's code or name; without one, all rules are listed.
    pub code: Option<String>,

    /// Print the pages of all rules.
    #[arg(long, conflicts_with = "code")]
    pub all: bool,
}

/// The arguments of `vramlens server`.
#[derive(Args, Debug)]
pub struct ServerArguments {
    /// Accepted because many editors pass it; it is the only way the server talks.
    #[arg(long)]
    pub stdio: bool,
}

impl ListArguments {
    /// Whether the line of a list has the wanted words in it.
    pub fn wants(&self, line: &str) -> bool {
        let line = line.to_lowercase();
        let filter = self.filter.as_deref().unwrap_or_default().to_lowercase();
        filter.split_whitespace().all(|word| line.contains(word))
    }
}

impl EstimateArguments {
    /// The settings among the arguments.
    pub fn settings(&self) -> PartialSettings {
        PartialSettings { gpu: self.gpu.clone(), ..PartialSettings::default() }
    }
}

impl CheckArguments {
    /// The settings among the arguments. Globs are relative to the current folder.
    pub fn settings(&self) -> PartialSettings {
        let given = |codes: &[String]| (!codes.is_empty()).then(|| codes.to_vec());
        let root = std::env::current_dir().unwrap_or_default();
        PartialSettings {
            select: given(&self.select),
            ignore: given(&self.ignore),
            gpu: self.gpu.clone(),
            exclude: given(&self.exclude).map(|globs| Exclude { root, globs }),
            inlay_hints: None,
        }
    }
}
