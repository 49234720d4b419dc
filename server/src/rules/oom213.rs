//! # embeddings-as-tensor (OOM213)
//!
//! ## What it finds
//! `encode(…, convert_to_tensor=True)` of sentence-transformers whose result is taken to the host at once.
//!
//! ## Why it costs memory
//! `encode` works in batches. As it returns an array of `numpy` by default, it moves each batch to the host as it is made. With
//! `convert_to_tensor=True` it keeps all of them on the model's device and puts them together there, so that for a moment
//! they are there twice: a million texts at 768 numbers each are 2.86 GiB, twice.
//!
//! ## Example
//! ```python
//! from sentence_transformers import SentenceTransformer
//!
//! model = SentenceTransformer("all-MiniLM-L6-v2", device="cuda")
//! vectors = model.encode(texts, convert_to_tensor=True).cpu().numpy()
//! ```
//!
//! Use instead:
//! ```python
//! from sentence_transformers import SentenceTransformer
//!
//! model = SentenceTransformer("all-MiniLM-L6-v2", device="cuda")
//! vectors = model.encode(texts)
//! ```
//!
//! ## What stays silent
//! Embeddings that are used on the GPU, such as a search by `util.cos_sim`, and what is handed on or returned. A list that
//! collects such tensors is OOM203's.
//!
//! ## The fix
//! Unsafe: takes out the option and the conversion, where the conversion follows directly. The numbers are the same.
//!
//! ## References
//! sentence-transformers 6.2, `sentence_transformer/model.py`: `save_to_cpu` follows `convert_to_numpy`.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::knowledge::{Knowledge, Role, StorageEffect};
use crate::python::library_call::{Action, Event, Known};
use crate::python::syntax::{ExprId, ExprKind, Module};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM213",
    name: "embeddings-as-tensor",
    summary: "Embeddings are collected on the GPU only to be taken to the host",
    source: include_str!("oom213.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let models = context.script.calls.iter().filter(|call| call.role == Role::SentenceTransformer);
    worst_of_each_place(
        models.flat_map(|model| &model.events).filter_map(|event| finding(context, event)).collect(),
    )
}

fn finding(context: &Context, event: &Event) -> Option<Finding> {
    let Action::Called { method, arguments } = &event.action else { return None };
    let tables = Knowledge::tables();
    let asked = arguments.named("convert_to_tensor").filter(|given| given.value == Known::Bool(true))?;
    if tables.storage(method) != Some(StorageEffect::Embeds) {
        return None;
    }
    let reads = context.script.reads_of(event.expr?)?;
    let converts = |name: &String| converts(name);
    let taken = !reads.names.is_empty() && reads.places.is_empty() && reads.names.iter().all(converts);
    if !taken {
        return None;
    }
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::High, growth: Growth::Peak };
    let place = arguments::whole(context.script.module, event.expr?, asked.span?)?;
    let mut finding = context.finding(&RULE, verdict, place, text("embeddings-kept", &[]));
    finding.fix = fix(context, event.expr?, asked.span?);
    Some(finding)
}

/// Whether a method takes a tensor to the host, or leads to one that does.
fn converts(name: &str) -> bool {
    matches!(Knowledge::tables().storage(name), Some(StorageEffect::Host | StorageEffect::None))
}

/// Takes out the option and the conversions that follow the call directly.
fn fix(context: &Context, call: ExprId, option: Span) -> Option<Fix> {
    let module = context.script.module;
    let inner = module.expr(call).span;
    let mut last = call;
    while let Some(outer) = conversion_of(module, last) {
        last = outer;
    }
    if last == call {
        return None;
    }
    let conversion = Span::new(inner.end, module.expr(last).span.end);
    let edits = vec![
        arguments::removed(context, call, option)?,
        Edit { location: context.locate(conversion), content: String::new() },
    ];
    Some(Fix { applicability: Applicability::Unsafe, message: text("embeddings-fix", &[]), edits })
}

/// The conversion to an array of the host that is called on an expression, if it is: `.cpu()`, `.numpy()`.
fn conversion_of(module: &Module, inner: ExprId) -> Option<ExprId> {
    let is_conversion = |kind: &ExprKind| match kind {
        ExprKind::Call { callee, .. } => match &module.expr(*callee).kind {
            ExprKind::Attribute { object, name, .. } => {
                let effect = Knowledge::tables().storage(module.name(*name));
                *object == inner && effect == Some(StorageEffect::Host)
            }
            _ => false,
        },
        _ => false,
    };
    module.exprs().find(|(_, expr)| is_conversion(&expr.kind)).map(|(expr, _)| expr)
}
