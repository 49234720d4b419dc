//! What is trained, and by which optimizer.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::estimates::desk::Desk;
use crate::knowledge::Role;
use crate::memory::replay::{Adapters, Trained};
use crate::memory::step::Optimizer;
use crate::memory::weights::Dtype;
use crate::python::library_call::{Action, Known, LibraryCall};
use crate::table::rows;

static NAMES: LazyLock<FxHashMap<&'static str, Optimizer>> = LazyLock::new(|| {
    let rows = rows(include_str!("optimizers.tsv"));
    rows.filter_map(|row| Some((row.first()?, named(row.get(1)?)?))).collect()
});

fn named(kind: &str) -> Option<Optimizer> {
    Some(match kind {
        "adamw" => Optimizer::AdamW,
        "adamw-fused" => Optimizer::AdamWFused,
        "adamw-8bit" => Optimizer::AdamW8Bit,
        "paged-adamw-8bit" => Optimizer::PagedAdamW8Bit,
        "adafactor" => Optimizer::Adafactor,
        "lion" => Optimizer::Lion,
        "sgd" => Optimizer::Sgd,
        "sgd-momentum" => Optimizer::SgdMomentum,
        _ => return None,
    })
}

/// The optimizer that a trainer knows by a name, or a library by a path.
pub fn optimizer(name: &str) -> Option<Optimizer> {
    NAMES.get(name).copied()
}

/// The optimizer that the script makes for a model: the one that is given its parameters, or else the only one.
pub fn of_script(index: usize, desk: Desk) -> Option<Optimizer> {
    let made: Vec<&LibraryCall> = desk.calls.iter().filter(|call| optimizer(&call.path).is_some()).collect();
    let takes = |call: &&&LibraryCall| {
        call.arguments.get("params", 0).is_some_and(|given| given.value == Known::ParametersOf(index))
    };
    let only = || made.first().filter(|_| made.len() == 1);
    let call = made.iter().find(takes).or_else(only)?;
    let set = |name: &str| call.arguments.named(name).map(|given| &given.value);
    Some(match optimizer(&call.path)? {
        Optimizer::AdamW if set("fused").and_then(Known::bool) == Some(true) => Optimizer::AdamWFused,
        Optimizer::AdamW if set("foreach").and_then(Known::bool) == Some(false) => Optimizer::AdamWSingle,
        Optimizer::Sgd if set("momentum").is_some_and(|value| *value != Known::Float(0.0)) => {
            Optimizer::SgdMomentum
        }
        other => other,
    })
}

/// What is trained of a model: adapters, where it is given to a call that puts some on.
pub fn trained(model: &LibraryCall, desk: Desk, configured: Option<&Known>) -> (Trained, Option<Adapters>) {
    let takers = model.events.iter().filter_map(|event| match event.action {
        Action::GivenTo(taker) => desk.calls.get(taker).filter(|taker| taker.role == Role::Adapter),
        _ => None,
    });
    let by_taker = takers.filter_map(|taker| taker.arguments.get("peft_config", 1)).map(|given| &given.value);
    let configs = configured.into_iter().chain(by_taker);
    let config = configs.filter_map(|value| match value {
        Known::Made(index) => desk.calls.get(*index).filter(|call| call.role == Role::AdapterConfig),
        _ => None,
    });
    match config.collect::<Vec<_>>().last() {
        Some(config) => (Trained::Adapters, Some(adapters(config))),
        None => (Trained::All, None),
    }
}

/// The rank of adapters when none is said (`LoraConfig.r` of peft 0.21).
const USUAL_RANK: u64 = 8;
/// All linear layers, as peft calls them.
const ALL_LINEAR: &str = "all-linear";
/// The layers that peft 0.21 puts adapters on when none are said: those of queries and values, by what model families
/// call them (`TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING`).
const USUAL_TARGETS: [&str; 8] =
    ["q_proj", "v_proj", "query", "value", "query_key_value", "c_attn", "q", "v"];

fn adapters(config: &LibraryCall) -> Adapters {
    let set = |name: &str| config.arguments.named(name).map(|given| &given.value);
    let targets = match set("target_modules") {
        Some(Known::Text(name)) if &**name == ALL_LINEAR => None,
        Some(Known::List(names)) => Some(names.iter().filter_map(Known::text).map(str::to_owned).collect()),
        _ => Some(USUAL_TARGETS.map(str::to_owned).to_vec()),
    };
    let dropout = match set("lora_dropout") {
        Some(Known::Float(dropout)) => *dropout,
        _ => 0.0,
    };
    Adapters {
        rank: set("r").and_then(Known::count).unwrap_or(USUAL_RANK),
        targets,
        dropout,
        dtype: Dtype::Float32,
        trains_head: set("modules_to_save").is_some_and(Known::is_set)
            || set("task_type").and_then(Known::text).is_some_and(|task| task.ends_with("_CLS")),
    }
}

#[test]
fn every_row_loads() {
    let table = include_str!("optimizers.tsv");
    assert_eq!(rows(table).count(), NAMES.len());
    assert!(rows(table).all(|row| row.len() == 3 && row.columns().all(|column| !column.is_empty())));
}
