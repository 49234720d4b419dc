//! # tensor-grows-by-cat (OOM129)
//!
//! ## What it finds
//! A tensor on the GPU that a loop over data makes anew in every iteration, with that iteration's result beside what it
//! held: `x = torch.cat([x, y])`, and the same with `stack`, `hstack` or `vstack`.
//!
//! ## Why it costs memory
//! Everything that was ever put beside it stays on the GPU. And each time, the old tensor and the new one are there at
//! once: the peak is twice of what is kept. Each new tensor is a little larger than any block that the allocator has, so
//! the blocks of the old ones are of no use to it.
//!
//! ## Example
//! ```python
//! import torch
//!
//! @torch.no_grad()
//! def predict(model, loader):
//!     model.eval()
//!     outputs = torch.empty(0, 1000, device="cuda")
//!     for x in loader:
//!         outputs = torch.cat([outputs, model(x.cuda())])
//!     return outputs.cpu()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! @torch.no_grad()
//! def predict(model, loader):
//!     model.eval()
//!     outputs = torch.empty(0, 1000, device="cuda")
//!     outputs_parts = [outputs.cpu()]
//!     for x in loader:
//!         outputs_parts.append(model(x.cuda()).cpu())
//!     outputs = torch.cat(outputs_parts)
//!     return outputs.cpu()
//! ```
//!
//! ## What stays silent
//! Tensors that are cut to length (`x = torch.cat([x, y])[-n:]`), made anew in every iteration, or in host memory. Token
//! ids, labels and class indices are told as information: text that is generated token by token grows, but by a few bytes.
//! With its graph, a growing tensor is OOM102's.
//!
//! ## The fix
//! Unsafe: the parts go into a list on the host, and one concatenation follows the loop. The result is on the host, too.
//! Offered where the loop does nothing else with the tensor.
//!
//! ## References
//! PyTorch documentation, "CUDA semantics: memory management"; `torch.cat`.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Edit, Finding, Fix, Severity};
use crate::python::script::{Keeping, StashedTensors};
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::writing::lines::indentation;
use crate::rules::{Rule, stashing};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM129",
    name: "tensor-grows-by-cat",
    summary: "A loop copies a tensor on the GPU into a larger one in every iteration",
    source: include_str!("oom129.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let growing = context.script.stashed.iter().filter(|stashed| stashed.keeping == Keeping::Concatenation);
    worst_of_each_place(growing.filter_map(|stashed| finding(context, stashed)).collect())
}

fn finding(context: &Context, stashed: &StashedTensors) -> Option<Finding> {
    let verdict = stashing::verdict(stashed)?;
    let target = context.quote(stashed.target);
    let small = verdict.severity < Severity::Warning;
    let message = text(if small { "growing-small" } else { "growing" }, &[("target", &target)]);
    let mut finding = stashing::finding(context, &RULE, stashed, (verdict, message));
    finding.fix = parts_and_one_cat(context, stashed).filter(|_| !small);
    Some(finding)
}

/// Collects the parts in a list on the host and puts them together behind the loop.
fn parts_and_one_cat(context: &Context, stashed: &StashedTensors) -> Option<Fix> {
    let [part] = stashed.values.as_slice() else { return None };
    let script = context.script;
    let target = script.text_of(stashed.target);
    let statement = script.text_of(stashed.span);
    let call = statement.get(statement.find('=')? + 1..)?.trim_start();
    let display = call.find(['[', '('].as_slice()).map(|paren| (paren, call.get(..paren)))?;
    let function = display.1?;
    let arguments = call.get(display.0..)?;
    let part_text = script.text_of(part.span);
    // Only `x = function([x, part], …)`, in this order and on one line.
    let rest =
        [("([", "])"), ("([", "],"), ("((", "))"), ("((", "),")].into_iter().find_map(|(open, close)| {
            let head = format!("{open}{target}, {part_text}{close}");
            let rest = arguments.strip_prefix(&head)?;
            Some(if close.ends_with(',') { format!(",{rest}") } else { format!("){rest}") })
        })?;
    let names = |span: Span| {
        script.text_of(span).split(|letter: char| !is_word(letter)).filter(|word| *word == target).count()
    };
    let only_here = names(stashed.in_loop.span) == 2 && target.chars().all(is_word);
    let parts = format!("{target}_parts");
    if !only_here || script.text.contains(&parts) {
        return None;
    }
    let loop_span = stashed.in_loop.span;
    let before = script.text.get(..loop_span.start as usize)?;
    let indent = indentation(before.get(before.rfind('\n')? + 1..)?);
    let value = if part.is_primary { part_text.to_owned() } else { format!("({part_text})") };
    let edit = |span: Span, content: String| Edit { location: context.locate(span), content };
    let edits = vec![
        edit(Span::at(loop_span.start), format!("{parts} = [{target}.cpu()]\n{indent}")),
        edit(stashed.span, format!("{parts}.append({value}.cpu())")),
        edit(Span::at(loop_span.end), format!("\n{indent}{target} = {function}({parts}{rest}")),
    ];
    Some(Fix {
        applicability: Applicability::Unsafe,
        message: text("growing-fix", &[("target", target)]),
        edits,
    })
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
