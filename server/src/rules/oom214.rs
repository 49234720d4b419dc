//! # gradients-switched-on-again (OOM214)
//!
//! ## What it finds
//! `torch.enable_grad()`, `set_grad_enabled(True)` or `inference_mode(False)` around forward passes in a loop whose
//! gradients nothing computes.
//!
//! ## Why it costs memory
//! Inside the block every operation is recorded and its activations are kept for a backward that never comes, whatever
//! a `no_grad` further out says: the innermost switch counts.
//!
//! ## Example
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 10).cuda()
//! with torch.no_grad():
//!     for x in loader:
//!         with torch.enable_grad():
//!             print(model(x.cuda()).argmax(1))
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 10).cuda()
//! with torch.no_grad():
//!     for x in loader:
//!         with torch.no_grad():
//!             print(model(x.cuda()).argmax(1))
//! ```
//!
//! ## What stays silent
//! Blocks whose gradients are computed, by `backward()`, `autograd.grad` or whatever the result is handed to; switches
//! that depend on a variable.
//!
//! ## The fix
//! Switches gradients off in that block. Unsafe: whatever else stands in it runs without gradients, too.
//!
//! ## References
//! PyTorch documentation, "Autograd mechanics: locally disabling gradient computation".

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix};
use crate::python::script::UnusedForward;
use crate::python::syntax::{Constant, ExprId, ExprKind};
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::writing::removal::replacement;
use crate::rules::{Rule, no_grad};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM214",
    name: "gradients-switched-on-again",
    summary: "A block switches gradients on for passes whose gradients nothing computes",
    source: include_str!("oom214.rs"),
    check,
};

/// The context manager that switches gradients off.
const OFF: &str = "no_grad";

fn check(context: &Context) -> Vec<Finding> {
    let forwards = no_grad::first_switched_on_of_each_loop(context.script);
    worst_of_each_place(forwards.into_iter().filter_map(|forward| finding(context, forward)).collect())
}

fn finding(context: &Context, forward: &UnusedForward) -> Option<Finding> {
    let verdict = no_grad::verdict(forward).filter(|verdict| verdict.confidence > Confidence::Low)?;
    let switch = forward.switched_on?;
    let span = context.script.module.expr(switch).span;
    let (switch_text, module) = (context.quote(span), context.quote(forward.callee));
    let message = text("gradients-on-again", &[("switch", &switch_text), ("module", &module)]);
    let mut finding = context.finding(&RULE, verdict, span, message);
    finding.related.push(context.related(forward.span, text("gradients-recorded-here", &[])));
    finding.fix = switched_off(context, switch).map(|edit| Fix {
        applicability: Applicability::Unsafe,
        message: text("gradients-switch-off", &[]),
        edits: vec![edit],
    });
    Some(finding)
}

/// The edit that makes a switch switch gradients off.
fn switched_off(context: &Context, switch: ExprId) -> Option<Edit> {
    let module = context.script.module;
    let ExprKind::Call { callee, arguments } = &module.expr(switch).kind else { return None };
    let Some(argument) = arguments.first() else {
        let ExprKind::Attribute { name_span, .. } = module.expr(*callee).kind else { return None };
        return Some(replacement(context, name_span, OFF));
    };
    let value = module.expr(argument.value);
    let content = match value.kind {
        ExprKind::Constant(Constant::Bool(true)) => "False",
        ExprKind::Constant(Constant::Bool(false)) => "True",
        _ => return None,
    };
    Some(replacement(context, value.span, content))
}
