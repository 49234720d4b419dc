//! Commands whose effect ends with the process that they start.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::table::rows;

/// Each known statement, and whether it is about the GPU's cache.
static STATEMENTS: LazyLock<FxHashMap<&'static str, bool>> = LazyLock::new(|| {
    let rows = rows(include_str!("commands.tsv"));
    rows.filter_map(|row| Some((row.first()?, row.get(1)? == "empties-cache"))).collect()
});

static PLAIN: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| rows(include_str!("plain_commands.tsv")).filter_map(|row| row.first()).collect());

/// Whether a command has no use for variables of PyTorch.
pub fn is_plain(words: &[String]) -> bool {
    let program = words.first().map(|program| file_name(program));
    program.is_some_and(|program| PLAIN.contains(&program)) || only_empties_cache(words)
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a command runs Python only to empty a cache, which is then its own.
pub fn only_empties_cache(words: &[String]) -> bool {
    let Some(code) = code(words) else { return false };
    let statements = code.split([';', '\n']).map(str::trim).filter(|statement| !statement.is_empty());
    let known: Option<Vec<bool>> = statements.map(|statement| STATEMENTS.get(statement).copied()).collect();
    known.is_some_and(|about_cache| about_cache.contains(&true))
}

/// The code that a command of the form `python -c code` runs.
fn code(words: &[String]) -> Option<&str> {
    let [program, option, code] = words else { return None };
    (file_name(program).starts_with("python") && option == "-c").then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empties(words: &[&str]) -> bool {
        only_empties_cache(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn every_row_has_a_source() {
        assert!(rows(include_str!("commands.tsv")).all(|row| row.len() == 3));
        assert_eq!(rows(include_str!("commands.tsv")).count(), STATEMENTS.len());
        assert!(rows(include_str!("plain_commands.tsv")).all(|row| row.len() == 2));
    }

    #[test]
    fn commands_without_pytorch() {
        let plain =
            |words: &[&str]| is_plain(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert!(plain(&["nvidia-smi"]));
        assert!(plain(&["/bin/rm", "-rf", "out"]));
        assert!(!plain(&["python", "train.py"]));
        assert!(!plain(&[]));
    }

    #[test]
    fn only_what_does_nothing_else() {
        assert!(empties(&["python", "-c", "import torch; torch.cuda.empty_cache()"]));
        assert!(empties(&[
            "/usr/bin/python3",
            "-c",
            "import gc, torch; gc.collect(); torch.cuda.empty_cache();"
        ]));
        assert!(!empties(&["python", "-c", "import torch; torch.cuda.empty_cache(); train()"]));
        assert!(!empties(&["python", "-c", "import torch"]));
        assert!(!empties(&["python", "clean.py"]));
    }
}
