//! Tensors that grow by concatenation.

use crate::rules::tests::check;
use crate::rules::tests::fixing::{check_no_fix, check_unsafe_fix};

/// An evaluation whose loop runs these lines after the model.
fn predict(start: &str, lines: &str) -> String {
    format!(
        "
import torch

@torch.no_grad()
def predict(model, loader):
    model.eval()
    kept = {start}
    for x, y in loader:
        out = model(x.cuda())
        {lines}
    return kept
"
    )
}

#[track_caller]
fn check_growing(start: &str, statement: &str) {
    let marks = "^".repeat(statement.len());
    check(&predict(start, &format!("{statement}\n#       {marks} OOM129 error tensors")));
}

#[test]
fn any_spelling_of_putting_beside() {
    let start = "torch.empty(0, 2, device='cuda')";
    check_growing(start, "kept = torch.cat([kept, out])");
    check_growing(start, "kept = torch.cat((kept, out), 0)");
    check_growing(start, "kept = torch.cat((kept, out.softmax(-1)), dim=0)");
    check_growing(start, "kept = torch.vstack([kept, out])");
    check_growing(start, "kept = torch.hstack((out, kept))");
    check_growing("None", "kept = torch.cat([kept, out]) if kept is not None else out");
}

#[test]
fn a_first_batch_that_starts_it() {
    check(&predict(
        "None",
        "if kept is None:
            kept = out
        else:
            kept = torch.cat((kept, out), dim=0)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM129 error tensors",
    ));
}

#[test]
fn an_attribute() {
    check(
        "
import torch

class Collector:
    def __init__(self):
        self.bank = torch.zeros(0, 128).cuda()

    @torch.no_grad()
    def fill(self, model, loader):
        for x in loader:
            self.bank = torch.cat([self.bank, model(x.cuda())])
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM129 error tensors
",
    );
}

#[test]
fn what_is_cut_or_on_the_host_or_made_anew() {
    let start = "torch.empty(0, 2, device='cuda')";
    check(&predict(start, "kept = torch.cat([kept, out])[-100:]"));
    check(&predict(start, "kept = torch.cat([kept, out]); kept = kept[-100:]"));
    check(&predict("torch.empty(0, 2)", "kept = torch.cat([kept, out.cpu()])"));
    check(&predict("None", "kept = y.cuda(); kept = torch.cat([kept, out], 1)"));
    check(&predict("None", "both = torch.cat([out, out]); print(both.shape)"));
}

#[test]
fn tokens_of_a_text() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained('gpt2').cuda()
tokenizer = AutoTokenizer.from_pretrained('gpt2')
ids = tokenizer('Once', return_tensors='pt').input_ids.cuda()
with torch.no_grad():
    for _ in range(50):
        token = model(ids).logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, token], dim=-1)
print(tokenizer.decode(ids[0]))
",
    );
}

#[test]
fn a_list_and_one_concatenation() {
    let script = |start: &str, statement: &str, end: &str| {
        format!(
            "
import torch

@torch.no_grad()
def predict(model, loader):
    model.eval()
    kept = torch.empty(0, 2, device='cuda')
    {start}for x, y in loader:
        out = model(x.cuda())
        {statement}
    {end}return kept
"
        )
    };
    let parts = "kept_parts = [kept.cpu()]\n    ";
    check_unsafe_fix(
        &script("", "kept = torch.cat((kept, out + 1), dim=0)", ""),
        &script(parts, "kept_parts.append((out + 1).cpu())", "kept = torch.cat(kept_parts, dim=0)\n    "),
    );
}

#[test]
fn what_the_loop_uses_otherwise_is_left_alone() {
    check_no_fix(&predict(
        "torch.empty(0, 2, device='cuda')",
        "kept = torch.cat([kept, out]); print(len(kept))",
    ));
    check_no_fix(&predict("torch.empty(0, 2, device='cuda')", "kept = torch.cat([out, kept])"));
}
