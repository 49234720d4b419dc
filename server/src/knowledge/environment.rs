//! Environment variables that matter to memory, and names that only look like theirs.

use std::sync::LazyLock;

use crate::table::{Row, rows};

/// The most letters that a slip of the pen gets wrong.
const SLIP: usize = 2;

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It holds the setting of PyTorch's allocator.
    Allocator,
    /// It says which GPUs the process sees.
    Devices,
    /// Something else; it only looks like one of those.
    Other,
    /// Nothing reads it; this one was meant.
    Slip(&'static str),
}

static VARIABLES: LazyLock<Vec<(&'static str, Purpose)>> =
    LazyLock::new(|| rows(include_str!("environment.tsv")).filter_map(|row| variable(&row)).collect());

static STANDARD_MODULES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| rows(include_str!("standard_modules.tsv")).filter_map(|row| row.first()).collect());

/// Whether a module, by its dotted path, belongs to Python and imports no library.
pub fn is_standard_module(path: &str) -> bool {
    path.split('.').next().is_some_and(|root| STANDARD_MODULES.contains(&root))
}

/// What a variable is for, if the table has it.
pub fn purpose(name: &str) -> Option<Purpose> {
    VARIABLES.iter().find(|(known, _)| *known == name).map(|(_, purpose)| *purpose)
}

/// The variable that a name was most likely meant to be; `None` when nothing is wrong with it.
pub fn meant_by(name: &str) -> Option<&'static str> {
    if let Some(purpose) = purpose(name) {
        return match purpose {
            Purpose::Slip(meant) => Some(meant),
            _ => None,
        };
    }
    let upper = name.to_uppercase();
    let real =
        VARIABLES.iter().filter(|(_, purpose)| matches!(purpose, Purpose::Allocator | Purpose::Devices));
    let near = real.map(|(known, _)| (strsim::osa_distance(&upper, known), *known));
    near.filter(|(distance, _)| *distance <= SLIP).min().map(|(_, known)| known)
}

fn variable(row: &Row) -> Option<(&'static str, Purpose)> {
    let purpose = match row.get(1)? {
        "allocator" => Purpose::Allocator,
        "devices" => Purpose::Devices,
        "other" => Purpose::Other,
        words => Purpose::Slip(words.strip_prefix("slip:")?),
    };
    Some((row.first()?, purpose))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_loads_and_every_slip_means_a_variable() {
        let table = include_str!("environment.tsv");
        assert_eq!(rows(table).count(), VARIABLES.len());
        assert!(rows(table).all(|row| row.len() == 3 && row.columns().all(|column| !column.is_empty())));
        for (name, purpose) in VARIABLES.iter() {
            if let Purpose::Slip(meant) = purpose {
                assert!(
                    matches!(super::purpose(meant), Some(Purpose::Allocator | Purpose::Devices)),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn modules_of_python_are_told_from_others() {
        assert!(rows(include_str!("standard_modules.tsv")).all(|row| row.len() == 2));
        assert!(is_standard_module("os.path"));
        assert!(!is_standard_module("torch"));
    }

    #[test]
    fn slips_are_told_from_other_variables() {
        assert_eq!(meant_by("PYTORCH_CUDA_ALLOC_CONFIG"), Some("PYTORCH_CUDA_ALLOC_CONF"));
        assert_eq!(meant_by("PYTORCH_CUDA_ALOC_CONF"), Some("PYTORCH_CUDA_ALLOC_CONF"));
        assert_eq!(meant_by("pytorch_cuda_alloc_conf"), Some("PYTORCH_CUDA_ALLOC_CONF"));
        assert_eq!(meant_by("CUDA_VISABLE_DEVICES"), Some("CUDA_VISIBLE_DEVICES"));
        for right in [
            "PYTORCH_CUDA_ALLOC_CONF",
            "PYTORCH_ALLOC_CONF",
            "PYTORCH_NPU_ALLOC_CONF",
            "MUSA_VISIBLE_DEVICES",
            "HIP_VISIBLE_DEVICES",
            "CUDA_LAUNCH_BLOCKING",
            "OMP_NUM_THREADS",
        ] {
            assert_eq!(meant_by(right), None, "{right}");
        }
    }
}
