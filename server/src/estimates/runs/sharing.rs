//! How a script shares the training of a model among GPUs.

mod files;
mod zero;

use vramlens_grammars::Span;

use crate::estimates::desk::Desk;
use crate::estimates::notes::Notes;
use crate::knowledge::Role;
use crate::memory::sharding::{Buckets, Copies, Full, Share, Sharing, Stage};
use crate::memory::weights::Dtype;
use crate::python::library_call::{Action, Known, LibraryCall};
use crate::table::rows;
use crate::texts::text;

pub use files::unread;

/// The number of GPUs, where the script does not say it: the least, a usual one, the most.
const USUAL_GPUS: [u64; 3] = [2, 4, 8];
/// GPUs of a node of the usual kind for training (HGX, DGX).
const GPUS_OF_A_NODE: u64 = 8;

/// The strategy of Lightning that goes by the devices.
const BY_DEVICES: &str = "auto";

/// How a model is shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Every way in which it may be, the likeliest first.
    pub ways: Vec<Sharing>,
    /// The type of weights in passes, where that is another than between them.
    pub computed: Option<Dtype>,
    /// Whether trained weights are held in float32 between the passes, whatever they were loaded in.
    pub raises: bool,
    /// Whether the optimizer steps on a float32 copy.
    pub copies: bool,
}

impl Method {
    /// Whether every GPU holds all there is.
    pub fn replicates(&self) -> bool {
        let is_whole = |way: &Sharing| [way.weights, way.gradients, way.optimizer] == [Share::Whole; 3];
        self.ways.iter().all(is_whole)
    }

    /// What every GPU keeps to send its gradients.
    pub fn copies(&self) -> Copies {
        self.ways.first().map(|way| way.copies).unwrap_or_default()
    }
}

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Replicated,
    Fully(Full),
    Zero(Stage),
}

/// What a method takes beside the number of GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Offload {
    optimizer: bool,
    weights: bool,
}

/// A way, before it is known among how many GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    way: Way,
    offload: Offload,
    buckets: Buckets,
    views: bool,
    /// Whether each node has a copy of its own, which its GPUs share.
    within_node: bool,
}

impl Plan {
    fn of(way: Way) -> Self {
        Self {
            way,
            offload: Offload::default(),
            buckets: Buckets::default(),
            views: false,
            within_node: false,
        }
    }

    fn among(self, gpus: u64) -> Sharing {
        let Offload { optimizer, weights } = self.offload;
        let sharing = match self.way {
            Way::Replicated => return Sharing::replicated(self.views),
            Way::Fully(full) => {
                let gpus = if self.within_node { gpus.min(GPUS_OF_A_NODE) } else { gpus };
                return Sharing::fully(full, gpus, weights);
            }
            Way::Zero(stage) => Sharing::zero(stage, gpus, self.buckets),
        };
        let sharing = if optimizer { sharing.with_optimizer_on_host() } else { sharing };
        if weights { sharing.with_weights_on_host() } else { sharing }
    }
}

/// What a script says of how it shares a model.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    plans: Vec<Plan>,
    computed: Option<Dtype>,
    raises: bool,
    copies: bool,
}

impl Said {
    fn fully(plan: Plan, computed: Option<Dtype>, raises: bool) -> Self {
        Self { plans: vec![plan], computed, raises, copies: false }
    }

    /// Among as many GPUs as the script says, or as are usual.
    fn among(self, desk: Desk, place: Span, notes: &mut Notes) -> Method {
        let gpus = if let Some((gpus, span)) = gpus(desk) {
            notes.written("GPUs", gpus.to_string(), span);
            vec![gpus]
        } else {
            let [least, usual, most] = USUAL_GPUS;
            let shares = |sharing: Sharing| [sharing.weights, sharing.optimizer].contains(&Share::Part);
            if self.plans.iter().any(|plan| shares(plan.among(usual))) {
                notes.add("GPUs", usual.to_string(), text("estimate-gpus-unknown", &[]), Some(place));
            }
            vec![usual, least, most]
        };
        let ways = self.plans.iter().flat_map(|plan| gpus.iter().map(|gpus| plan.among(*gpus))).collect();
        Method { ways, computed: self.computed, raises: self.raises, copies: self.copies }
    }
}

/// How the options of a trainer of transformers share a model; `half` is what it is told to compute in.
pub fn of_options(
    options: &LibraryCall,
    half: Option<Dtype>,
    desk: Desk,
    notes: &mut Notes,
) -> Option<Method> {
    let given = |name: &str| options.arguments.named(name).filter(|given| is_given(&given.value));
    if let Some(config) = given("deepspeed") {
        let place = config.span.unwrap_or(options.callee);
        let config = files::resolved(&config.value, desk);
        return Some(zero::said(&config, half, place, notes).among(desk, place, notes));
    }
    let asked = given("fsdp")?;
    let place = asked.span.unwrap_or(options.callee);
    let more = given("fsdp_config").map(|given| files::resolved(&given.value, desk));
    let more = more.as_deref();
    let words = words(&asked.value);
    let mut plan = words.iter().find_map(|word| read(word)).unwrap_or(Plan::of(Way::Fully(Full::Shard)));
    let offloads = words.iter().any(|word| word == "offload");
    plan.offload.weights |= offloads || is_on(more, "cpu_offload") || is_on(more, "offload_params");
    if is_off(more, "reshard_after_forward") {
        plan.way = Way::Fully(Full::GradientsOnly);
    }
    if half.is_some() {
        let dtype = Dtype::Float32.name();
        notes.add("weights", dtype, text("estimate-fsdp-raises", &[]), Some(place));
    }
    Some(Said::fully(plan, half, half.is_some()).among(desk, place, notes))
}

/// How the script shares the model that a call loads, by what wraps it or prepares it.
pub fn of_script(model: &LibraryCall, desk: Desk, notes: &mut Notes) -> Option<Method> {
    let takers = model.events.iter().filter_map(|event| match event.action {
        Action::GivenTo(taker) => desk.calls.get(taker),
        _ => None,
    });
    let mut preparing = desk.calls.iter().filter(|call| call.role == Role::Preparing);
    let mut wrapping = takers.filter(|call| matches!(call.role, Role::Distributed | Role::Sharding));
    let call = wrapping.next_back().or_else(|| preparing.next_back())?;
    let said = by_call(call, desk, notes)?;
    Some(said.among(desk, call.callee, notes))
}

/// What a call that wraps or prepares a model says.
fn by_call(call: &LibraryCall, desk: Desk, notes: &mut Notes) -> Option<Said> {
    let set = |name: &str| call.arguments.named(name).map(|given| &given.value);
    let name = last_part(&call.path);
    match (call.role, name) {
        (Role::Distributed, _) => {
            let views = set("gradient_as_bucket_view").and_then(Known::bool) == Some(true);
            let plan = Plan { views, ..Plan::of(Way::Replicated) };
            Some(Said { plans: vec![plan], computed: None, raises: false, copies: false })
        }
        (Role::Sharding, "initialize") => {
            let config = call.arguments.named("config").or_else(|| call.arguments.named("config_params"));
            let place = config.and_then(|given| given.span).unwrap_or(call.callee);
            let value = config.map_or(&Known::Unknown, |given| &given.value);
            Some(zero::said(&files::resolved(value, desk), None, place, notes))
        }
        (Role::Sharding, _) => Some(by_fsdp(call, desk, None)),
        (Role::Preparing, _) => {
            let half =
                set("mixed_precision").or_else(|| set("precision")).and_then(Known::text).and_then(half);
            by_plugin(call, half, desk, notes).or_else(|| by_strategy(call, half))
        }
        _ => None,
    }
}

/// The plugins of accelerate.
fn by_plugin(call: &LibraryCall, half: Option<Dtype>, desk: Desk, notes: &mut Notes) -> Option<Said> {
    let plugin = |name: &str| made(&call.arguments.named(name)?.value, desk);
    if let Some(plugin) = plugin("fsdp_plugin") {
        return Some(by_fsdp(plugin, desk, half));
    }
    let plugin = plugin("deepspeed_plugin")?;
    if let Some(config) = plugin.arguments.named("hf_ds_config").filter(|given| is_given(&given.value)) {
        let value = files::resolved(&config.value, desk);
        return Some(zero::said(&value, half, config.span.unwrap_or(plugin.callee), notes));
    }
    Some(zero::of_plugin(plugin, half))
}

/// The strategy that Lightning is told by a word.
fn by_strategy(call: &LibraryCall, half: Option<Dtype>) -> Option<Said> {
    let word = call.arguments.named("strategy").map_or(Some(BY_DEVICES), |given| given.value.text())?;
    // Left to Lightning, several devices each get a whole model.
    let is_several = || devices(call).is_some_and(|(devices, _)| devices > 1);
    let plan =
        if word == BY_DEVICES { is_several().then(|| Plan::of(Way::Replicated))? } else { read(word)? };
    Some(match plan.way {
        Way::Zero(_) => Said { plans: vec![plan], computed: half, raises: false, copies: true },
        Way::Fully(_) => Said::fully(plan, half, false),
        Way::Replicated => Said { plans: vec![plan], computed: None, raises: false, copies: false },
    })
}

/// FSDP, by the arguments of the wrapper, of `fully_shard` or of accelerate's plugin.
fn by_fsdp(call: &LibraryCall, desk: Desk, half: Option<Dtype>) -> Said {
    let set = |name: &str| call.arguments.named(name).map(|given| &given.value);
    let mut plan = set("sharding_strategy")
        .and_then(|value| words(value).iter().find_map(|word| read(word)))
        .unwrap_or(Plan::of(Way::Fully(Full::Shard)));
    if set("reshard_after_forward").and_then(Known::bool) == Some(false) {
        plan.way = Way::Fully(Full::GradientsOnly);
    }
    let offload = ["cpu_offload", "offload_policy"].into_iter().find_map(set);
    plan.offload.weights |= offload.is_some_and(|value| match made(value, desk) {
        // `CPUOffload` offloads nothing unless it is told to; a policy of `fully_shard` is for that alone.
        Some(made) if last_part(&made.path) == "CPUOffload" => {
            let given = made.arguments.get("offload_params", 0);
            given.and_then(|given| given.value.bool()) == Some(true)
        }
        Some(made) => last_part(&made.path) == "CPUOffloadPolicy",
        None => value.bool() == Some(true),
    });
    let policy = ["mixed_precision", "mixed_precision_policy", "mp_policy"].into_iter().find_map(set);
    let named = policy.and_then(|value| made(value, desk)).and_then(|made| {
        match &made.arguments.get("param_dtype", 0)?.value {
            Known::Library(path) => Dtype::parse(path),
            _ => None,
        }
    });
    Said::fully(plan, named.or(half), half.is_some())
}

/// The number of GPUs that the script names, and where.
fn gpus(desk: Desk) -> Option<(u64, Option<Span>)> {
    desk.calls.iter().find_map(|call| match call.role {
        Role::ProcessGroup => number(call, "world_size"),
        Role::Preparing => devices(call),
        _ => None,
    })
}

/// The devices that Lightning is given, on all nodes.
fn devices(call: &LibraryCall) -> Option<(u64, Option<Span>)> {
    let (each, span) = number(call, "devices")?;
    let nodes = number(call, "num_nodes").map_or(1, |(nodes, _)| nodes);
    Some((each.saturating_mul(nodes), span))
}

/// A number that a call is given, or that of the items of a list.
fn number(call: &LibraryCall, name: &str) -> Option<(u64, Option<Span>)> {
    let given = call.arguments.named(name)?;
    let count = match &given.value {
        Known::List(all) => u64::try_from(all.len()).ok(),
        value => value.count(),
    };
    count.filter(|count| *count > 0).map(|count| (count, given.span))
}

/// What a word says, if it is one of those.
fn read(word: &str) -> Option<Plan> {
    let word = last_part(word).to_lowercase();
    let row = rows(include_str!("sharing.tsv")).find(|row| row.first() == Some(&word))?;
    let mut plan = Plan::of(way(row.get(1)?)?);
    plan.within_node = row.get(1)?.starts_with("hybrid");
    plan.offload = offload(row.get(2)?)?;
    Some(plan)
}

fn way(name: &str) -> Option<Way> {
    Some(match name {
        "replicated" => Way::Replicated,
        "full" | "hybrid" => Way::Fully(Full::Shard),
        "gradients-only" | "hybrid-gradients-only" => Way::Fully(Full::GradientsOnly),
        "nothing" => Way::Fully(Full::Nothing),
        "zero-1" => Way::Zero(Stage::One),
        "zero-2" => Way::Zero(Stage::Two),
        "zero-3" => Way::Zero(Stage::Three),
        _ => return None,
    })
}

fn offload(place: &str) -> Option<Offload> {
    Some(match place {
        "gpu" => Offload::default(),
        "optimizer-host" => Offload { optimizer: true, weights: false },
        "host" => Offload { optimizer: true, weights: true },
        _ => return None,
    })
}

/// The words of an option: a text of several, a list, or the name of a constant.
fn words(value: &Known) -> Vec<String> {
    match value {
        Known::Text(text) => text.split_whitespace().map(str::to_lowercase).collect(),
        Known::Library(path) => vec![last_part(path).to_lowercase()],
        Known::List(all) => all.iter().flat_map(words).collect(),
        Known::Usually(usual) => words(usual),
        _ => Vec::new(),
    }
}

fn half(word: &str) -> Option<Dtype> {
    match word {
        "bf16" | "bf16-mixed" | "bf16-true" => Some(Dtype::BFloat16),
        "fp16" | "16-mixed" | "16-true" | "16" => Some(Dtype::Float16),
        _ => None,
    }
}

/// What a value was made by.
fn made<'a>(value: &Known, desk: Desk<'a>) -> Option<&'a LibraryCall> {
    match value {
        Known::Made(index) => desk.calls.get(*index),
        _ => None,
    }
}

/// Whether an option asks for something, in words that may be empty.
fn is_given(value: &Known) -> bool {
    !matches!(value, Known::None | Known::Bool(false)) && value.text() != Some("")
}

/// The entry of a table.
fn entry<'a>(table: Option<&'a Known>, name: &str) -> Option<&'a Known> {
    match table? {
        Known::Table(entries) => entries.iter().find(|(key, _)| &**key == name).map(|(_, value)| value),
        _ => None,
    }
}

fn is_on(table: Option<&Known>, name: &str) -> bool {
    entry(table, name).and_then(Known::bool) == Some(true)
}

fn is_off(table: Option<&Known>, name: &str) -> bool {
    entry(table, name).and_then(Known::bool) == Some(false)
}

fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

#[test]
fn every_row_loads() {
    let table = include_str!("sharing.tsv");
    assert!(rows(table).all(|row| row.len() == 4 && row.first().and_then(read).is_some()));
}
