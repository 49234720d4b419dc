//! The configuration of DeepSpeed, as a table in the script or by accelerate's plugin.

use vramlens_grammars::Span;

use super::{Plan, Said, Way, entry, is_off, is_on};
use crate::estimates::notes::Notes;
use crate::memory::sharding::{Buckets, Stage};
use crate::memory::weights::Dtype;
use crate::python::library_call::{Known, LibraryCall};
use crate::texts::text;

/// What a configuration says. `half` is what the trainer computes in, which an `"auto"` in it stands for.
pub fn said(config: &Known, half: Option<Dtype>, place: Span, notes: &mut Notes) -> Said {
    let Known::Table(_) = config else {
        notes.add("ZeRO", "2", text("estimate-zero-unknown", &[]), Some(place));
        let plans = [Stage::Two, Stage::One, Stage::Three].map(|stage| Plan::of(Way::Zero(stage)));
        return Said { plans: plans.to_vec(), computed: half, raises: false, copies: true };
    };
    let zero = entry(Some(config), "zero_optimization");
    let stage = entry(zero, "stage").and_then(Known::count).map_or(Stage::Zero, stage);
    let mut plan = Plan::of(Way::Zero(stage));
    plan.buckets = buckets(zero, stage);
    plan.offload.optimizer = is_elsewhere(entry(zero, "offload_optimizer")) || is_on(zero, "cpu_offload");
    plan.offload.weights = is_elsewhere(entry(zero, "offload_param"));
    let on = |name: &str, dtype: Dtype| {
        let enabled = entry(entry(Some(config), name), "enabled")?;
        let is_asked = enabled.text() == Some("auto") && half == Some(dtype);
        (enabled.bool() == Some(true) || is_asked).then_some(dtype)
    };
    let computed = on("bf16", Dtype::BFloat16).or_else(|| on("fp16", Dtype::Float16));
    Said { plans: vec![plan], computed, raises: false, copies: true }
}

/// What accelerate's plugin says (`DeepSpeedPlugin` of accelerate 1.15, stage 2 by default).
pub fn of_plugin(plugin: &LibraryCall, half: Option<Dtype>) -> Said {
    let set = |name: &str| plugin.arguments.named(name).map(|given| &given.value);
    let is_host = |name: &str| set(name).and_then(Known::text).is_some_and(is_device_elsewhere);
    let mut plan = Plan::of(Way::Zero(set("zero_stage").and_then(Known::count).map_or(Stage::Two, stage)));
    plan.offload.optimizer = is_host("offload_optimizer_device");
    plan.offload.weights = is_host("offload_param_device");
    Said { plans: vec![plan], computed: half, raises: false, copies: true }
}

fn stage(number: u64) -> Stage {
    match number {
        0 => Stage::Zero,
        1 => Stage::One,
        2 => Stage::Two,
        _ => Stage::Three,
    }
}

/// The sizes that are written; what the trainer computes for `"auto"` is never larger than the default.
fn buckets(zero: Option<&Known>, stage: Stage) -> Buckets {
    let usual = Buckets::default();
    let size = |name: &str, usual: u64| match entry(zero, name) {
        Some(Known::Float(size)) => whole(*size).unwrap_or(usual),
        Some(value) => value.count().unwrap_or(usual),
        None => usual,
    };
    // Stage 3 overlaps unless it is told not to.
    let overlap =
        if stage == Stage::Three { !is_off(zero, "overlap_comm") } else { is_on(zero, "overlap_comm") };
    Buckets {
        reduce: size("reduce_bucket_size", usual.reduce),
        gather: size("allgather_bucket_size", usual.gather),
        live: size("stage3_max_live_parameters", usual.live),
        overlap,
    }
}

/// A size that is written as a float, `5e8`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "within the bounds that are checked"
)]
fn whole(size: f64) -> Option<u64> {
    (0.0..1e15).contains(&size).then_some(size as u64)
}

fn is_elsewhere(offload: Option<&Known>) -> bool {
    entry(offload, "device").and_then(Known::text).is_some_and(is_device_elsewhere)
}

fn is_device_elsewhere(device: &str) -> bool {
    matches!(device, "cpu" | "nvme")
}
