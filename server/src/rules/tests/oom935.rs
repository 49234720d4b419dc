//! What all processes hold, gathered and kept, by a framework (OOM935) or a collective operation (OOM934).

use crate::rules::tests::check;

/// An evaluation with Accelerate that runs these lines.
fn evaluate(lines: &str) -> String {
    format!(
        "
import torch
from accelerate import Accelerator

def evaluate(model, loader, metric):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    model.eval()
    kept = []
    with torch.no_grad():
        for batch in loader:
            out = model(**batch)
            {lines}
    return kept
"
    )
}

#[test]
fn large_results() {
    check(&evaluate(
        "kept.append(accelerator.gather(out.logits))
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM935 error tensors",
    ));
    check(&evaluate(
        "logits, labels = accelerator.gather_for_metrics((out.logits, batch['labels']))
            kept.append(logits)
#           ^^^^^^^^^^^^^^^^^^^ OOM935 error tensors",
    ));
}

#[test]
fn small_results_are_information() {
    check(&evaluate(
        "kept.append(accelerator.gather_for_metrics(out.logits.argmax(-1)))
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM935 information tensors",
    ));
    check(&evaluate(
        "logits, labels = accelerator.gather_for_metrics((out.logits, batch['labels']))
            kept.append(labels)
#           ^^^^^^^^^^^^^^^^^^^ OOM935 information tensors",
    ));
}

#[test]
fn what_goes_to_the_host_or_into_a_metric() {
    check(&evaluate("kept.append(accelerator.gather(out.logits).cpu())"));
    check(&evaluate("kept.append(accelerator.gather(out.loss))"));
    check(&evaluate("metric.add_batch(predictions=accelerator.gather(out.logits.argmax(-1)))"));
}

#[test]
fn a_collective_operation() {
    let script = |lines: &str| {
        format!(
            "
import torch
import torch.distributed as dist

@torch.no_grad()
def embed(model, loader, world):
    model.eval()
    kept = []
    for x in loader:
        out = model(x.cuda())
        parts = [torch.empty_like(out) for _ in range(world)]
        dist.all_gather(parts, out)
        {lines}
    return kept
"
        )
    };
    check(&script(
        "kept.extend(parts)
#       ^^^^^^^^^^^^^^^^^^ OOM934 error tensors",
    ));
    check(&script("kept.append(torch.cat(parts).cpu())"));
    check(&script("kept.append(torch.cat(parts).mean().item())"));
}
