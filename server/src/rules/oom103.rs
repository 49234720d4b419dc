//! # step-graph-outlives-step (OOM103)
//!
//! ## What it finds
//! What one iteration of a loop computed with its graph is put into an attribute, a global name or a name of an outer
//! function, and is still there when the next iteration builds its own.
//!
//! ## Why it costs memory
//! A local name goes with its function; these stay until they get another value, and that is after the next forward pass.
//! So two steps overlap. What the last one keeps depends on whether a `backward()` ran over it:
//!
//! | what is kept | beside the next step |
//! |---|---|
//! | no backward runs over it | every activation of the step: a warning where it trains, information in an evaluation |
//! | backward ran, and it is a tensor | that tensor: information |
//! | backward ran, and it is one number | some graph nodes in host memory: a hint |
//!
//! ## Example
//! ```python
//! import torch
//!
//! class Trainer:
//!     def __init__(self, net, optimizer, loader):
//!         self.net = net.to("cuda")
//!         self.optimizer = optimizer
//!         self.loader = loader
//!         self.last = None
//!
//!     def fit(self):
//!         for x, y in self.loader:
//!             self.optimizer.zero_grad()
//!             loss = torch.nn.functional.cross_entropy(self.net(x.to("cuda")), y.to("cuda"))
//!             loss.backward()
//!             self.optimizer.step()
//!             self.last = loss
//!
//! trainer = Trainer(torch.nn.Linear(512, 10), optimizer, loader)
//! trainer.fit()
//! print(trainer.last)
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! class Trainer:
//!     def __init__(self, net, optimizer, loader):
//!         self.net = net.to("cuda")
//!         self.optimizer = optimizer
//!         self.loader = loader
//!         self.last = None
//!
//!     def fit(self):
//!         for x, y in self.loader:
//!             self.optimizer.zero_grad()
//!             loss = torch.nn.functional.cross_entropy(self.net(x.to("cuda")), y.to("cuda"))
//!             loss.backward()
//!             self.optimizer.step()
//!             self.last = loss.detach()
//!
//! trainer = Trainer(torch.nn.Linear(512, 10), optimizer, loader)
//! trainer.fit()
//! print(trainer.last)
//! ```
//!
//! ## What stays silent
//! Names of the function itself; places that a later iteration empties or gives a value without a graph; losses from which
//! a backward starts; what a backward of a later iteration needs. Totals are OOM101's, states that each step is given
//! OOM107's, collections OOM102's; a graph that an evaluation builds is OOM201's and OOM202's.
//!
//! ## The fix
//! Safe: detaches the value, where the statement stands behind the backward and no other backward starts from it.
//!
//! ## References
//! PyTorch FAQ, "My model reports cuda runtime error(2): out of memory".

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::python::script::{Fate, LastingGraph};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM103",
    name: "step-graph-outlives-step",
    summary: "What one step computed is still there with its graph when the next builds its own",
    source: include_str!("oom103.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let lasting = context.script.lasting.iter();
    worst_of_each_place(lasting.filter_map(|lasting| finding(context, lasting)).collect())
}

fn verdict(lasting: &LastingGraph) -> Option<Verdict> {
    let (severity, growth) = match lasting.fate {
        // An evaluation should build no graph at all: that is told where it runs.
        Fate::Never if !lasting.in_loop.trains || lasting.evaluating.is_some() => return None,
        Fate::SentThrough(_) => return None,
        Fate::Never => (Severity::Warning, Growth::Peak),
        Fate::Retained(_) => (Severity::Information, Growth::Peak),
        Fate::Freed(_) if !lasting.scalar && !lasting.host => (Severity::Information, Growth::Peak),
        Fate::Freed(_) if lasting.starts_backward => return None,
        Fate::Freed(_) => (Severity::Hint, Growth::Static),
    };
    Some(Verdict { severity, confidence: Confidence::Medium, growth })
}

fn finding(context: &Context, lasting: &LastingGraph) -> Option<Finding> {
    let verdict = verdict(lasting)?;
    let target = context.quote(lasting.target);
    let key = match lasting.fate {
        Fate::Freed(_) if verdict.severity == Severity::Hint => "lasting-number",
        Fate::Freed(_) => "lasting-tensor",
        _ => "lasting-graph",
    };
    let mut finding = context.finding(&RULE, verdict, lasting.span, text(key, &[("target", &target)]));
    finding.related.push(context.related(lasting.in_loop.span, text("lasting-loop", &[])));
    for built in lasting.built_by.iter().take(2) {
        finding.related.push(context.related(*built, text("kept-built-here", &[])));
    }
    finding.fix = detached(context, lasting);
    Some(finding)
}

/// Writes `.detach()` behind a value whose backward has run.
fn detached(context: &Context, lasting: &LastingGraph) -> Option<Fix> {
    let Fate::Freed(backward) = lasting.fate else { return None };
    let value = lasting.value;
    if lasting.starts_backward || !value.is_tensor || backward.start > lasting.span.start {
        return None;
    }
    let insert =
        |at: u32, content: &str| Edit { location: context.locate(Span::at(at)), content: content.to_owned() };
    let edits = if value.is_primary {
        vec![insert(value.span.end, ".detach()")]
    } else {
        vec![insert(value.span.start, "("), insert(value.span.end, ").detach()")]
    };
    let message = text("lasting-fix", &[]);
    Some(Fix { applicability: Applicability::Safe, message, edits })
}
