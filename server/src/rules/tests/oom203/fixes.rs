//! `.cpu()` behind what is kept.

use crate::rules::tests::fixing::{check_fix, check_unsafe_fix};

fn predict(statement: &str, after: &str) -> String {
    format!(
        "
import torch

@torch.no_grad()
def predict(model, loader):
    model = torch.nn.Linear(10, 2).cuda()
    kept = []
    for x, y in loader:
        out = model(x.cuda())
        {statement}
    {after}
"
    )
}

#[test]
fn what_ends_on_the_host_anyway() {
    let after = "return torch.cat(kept).cpu().numpy()";
    check_fix(&predict("kept.append(out)", after), &predict("kept.append(out.cpu())", after));
    check_fix(&predict("kept.append(out * 2)", after), &predict("kept.append((out * 2).cpu())", after));
    let split = "kept = torch.cat(kept)
    return kept.numpy(force=True)";
    check_fix(&predict("kept.append(out)", split), &predict("kept.append(out.cpu())", split));
}

#[test]
fn what_goes_on_may_meet_the_gpu() {
    for after in ["return torch.cat(kept)", "return kept", "print(model(torch.cat(kept)).sum().item())"] {
        check_unsafe_fix(&predict("kept.append(out)", after), &predict("kept.append(out.cpu())", after));
    }
}

#[test]
fn only_what_lies_on_the_gpu() {
    let after = "return kept";
    check_unsafe_fix(
        &predict("kept.append((out, y))", after),
        &predict("kept.append((out.cpu(), y))", after),
    );
}
