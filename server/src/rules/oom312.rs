//! # model-loaded-again (OOM312)
//!
//! ## What it finds
//! A model that is loaded onto the GPU in every iteration of a loop, or for every request of a web app, while the one
//! before it is still held.
//!
//! ## Why it costs memory
//! The old model goes when its name is given to the new one, which is after the new one is complete: both must fit. In a
//! list, all of them stay. A request that loads its own model competes with all others that are under way.
//!
//! ## Example
//! ```python
//! from transformers import AutoModelForCausalLM
//!
//! for name in names:
//!     model = AutoModelForCausalLM.from_pretrained(name, dtype="auto").to("cuda")
//!     print(model.generate(prompt))
//! ```
//!
//! Use instead:
//! ```python
//! from transformers import AutoModelForCausalLM
//!
//! for name in names:
//!     model = AutoModelForCausalLM.from_pretrained(name, dtype="auto").to("cuda")
//!     print(model.generate(prompt))
//!     del model
//! ```
//!
//! ## What stays silent
//! A model that is deleted, or goes with its function, before the next is loaded; loads under a cache; loads into host
//! memory; models that are known to be small, unless every request loads one, or each is trained and then collected.
//!
//! ## The fix
//! None: delete the old model first where each iteration needs its own; load it before the loop where all need the same;
//! in a web app, load it once at the start.
//!
//! ## References
//! Python reference, assignment statements; Streamlit documentation, `st.cache_resource`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::objects::ObjectEffect;
use crate::python::blocks::statement_around;
use crate::python::holding::Holding;
use crate::python::library_call::LibraryCall;
use crate::python::syntax::{ExprKind, StmtKind};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::objects::put_on_gpu;
use crate::rules::offload::effect;
use crate::rules::reloading::is_large;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM312",
    name: "model-loaded-again",
    summary: "A model is loaded in every iteration or request",
    source: include_str!("oom312.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let loads = context.script.calls.iter().filter(|call| call.role.makes_weights());
    worst_of_each_place(loads.filter_map(|load| finding(context, load)).collect())
}

fn finding(context: &Context, load: &LibraryCall) -> Option<Finding> {
    if load.place.cached || put_on_gpu(load, u32::MAX).is_none() {
        return None;
    }
    let held_by = load.life.next_iteration.as_deref().unwrap_or_default();
    let collector = held_by.iter().find(|holder| holder.how == Holding::Collected);
    let is_collected = collector.is_some();
    let stays = is_stored(context, load) || !load.life.at_end.is_empty();
    let served = load.place.served && !stays;
    // However small they are, what trains in turn or comes with every request has no bound.
    let has_no_bound = served || is_collected && is_trained(load);
    if !has_no_bound && !is_large(context, load) {
        return None;
    }
    let (severity, growth, key) = if served {
        (Severity::Warning, Growth::Static, "loaded-for-each-request")
    } else if is_collected {
        (Severity::Warning, Growth::Tensors, "loaded-and-collected")
    } else if !held_by.is_empty() && !load.place.loops.is_empty() {
        (Severity::Warning, Growth::Static, "loaded-each-round")
    } else {
        return None;
    };
    let name = collector.or(held_by.first()).map(|holder| holder.name.to_string()).unwrap_or_default();
    let arguments: &[(&str, &str)] = if served { &[] } else { &[("name", &name)] };
    let verdict = Verdict { severity, confidence: Confidence::Medium, growth };
    let mut finding = context.sure_finding(&RULE, verdict, load.span, text(key, arguments));
    if let Some(around) = load.place.loops.last().filter(|_| !served) {
        finding.related.push(context.related(around.span, text("loaded-in-loop", &[])));
    }
    Some(finding)
}

/// Whether a model trains before the next one is loaded: an ensemble that is only read in is needed as a whole.
fn is_trained(load: &LibraryCall) -> bool {
    load.events.iter().any(|event| effect(event) == Some(ObjectEffect::Trains))
}

/// Whether what is loaded goes to an attribute or an item, where the next request finds it.
fn is_stored(context: &Context, load: &LibraryCall) -> bool {
    let module = context.script.module;
    let stmt = statement_around(module, load.span).map(|stmt| &module.stmt(stmt).kind);
    let Some(StmtKind::Assign { targets, .. }) = stmt else { return false };
    targets.iter().any(|target| !matches!(module.expr(*target).kind, ExprKind::Name(_)))
}
