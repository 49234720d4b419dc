//! # whole-data-in-one-call (OOM130)
//!
//! ## What it finds
//! A model on the GPU that is called with a whole data set: an array that was read from a file and goes into the model
//! without being cut into batches.
//!
//! ## Why it costs memory
//! Every layer's output is as long as what the model is given. With gradients on, those of all layers stay until the
//! backward, for every row of the data set; without, the largest two of them. What fits for a sample of the data stops
//! fitting when the file grows.
//!
//! ## Example
//! ```python
//! import numpy as np
//! import torch
//!
//! net = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 3), torch.nn.Flatten(), torch.nn.LazyLinear(10)).cuda()
//! optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
//! images = torch.tensor(np.load("images.npy")).float().cuda()
//! labels = torch.tensor(np.load("labels.npy")).cuda()
//! for epoch in range(100):
//!     optimizer.zero_grad()
//!     torch.nn.functional.cross_entropy(net(images), labels).backward()
//!     optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import numpy as np
//! import torch
//!
//! net = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 3), torch.nn.Flatten(), torch.nn.LazyLinear(10)).cuda()
//! optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
//! images = torch.tensor(np.load("images.npy")).float()
//! labels = torch.tensor(np.load("labels.npy"))
//! for epoch in range(100):
//!     for x, y in zip(images.split(64), labels.split(64)):
//!         optimizer.zero_grad()
//!         torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda()).backward()
//!         optimizer.step()
//! ```
//!
//! ## What stays silent
//! Rows that are picked or cut; data that the script makes itself; models that must see all data at once, such as exact
//! Gaussian processes and graph networks. A table, such as a CSV file, is information: most have few and short rows; so is
//! a call without gradients.
//!
//! ## The fix
//! None: how many rows fit is not in the text.
//!
//! ## References
//! PyTorch documentation, `torch.utils.data.DataLoader`, `torch.split`; PyTorch notes, "Autograd mechanics".

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::python::library_call::GradMode;
use crate::python::script::WholeDataRun;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM130",
    name: "whole-data-in-one-call",
    summary: "A model is called with a whole data set at once",
    source: include_str!("oom130.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let runs = context.script.whole_data_runs.iter();
    worst_of_each_place(runs.map(|run| finding(context, run)).collect())
}

fn finding(context: &Context, run: &WholeDataRun) -> Finding {
    let records = run.grad == GradMode::On;
    let severity = if records && !run.is_table { Severity::Warning } else { Severity::Information };
    let verdict = Verdict { severity, confidence: Confidence::Medium, growth: Growth::Peak };
    let key = if records { "whole-data-recorded" } else { "whole-data" };
    let mut finding = context.sure_finding(&RULE, verdict, run.span, text(key, &[]));
    finding.related.push(context.related(run.read, text("whole-data-read", &[])));
    finding
}
