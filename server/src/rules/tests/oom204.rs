//! Whole records of a model's output that a list keeps.

use crate::rules::tests::check;

/// An evaluation that keeps something of an output.
fn evaluate(load: &str, lines: &str) -> String {
    format!(
        "
import torch
from transformers import AutoModelForSequenceClassification

{load}
outputs = []
with torch.no_grad():
    for batch in loader:
        out = model(**{{key: part.cuda() for key, part in batch.items()}})
        {lines}
"
    )
}

const KNOWN: &str = "model = AutoModelForSequenceClassification.from_pretrained('gpt2').cuda()";
const UNKNOWN: &str = "model = build().cuda()";

#[test]
fn a_record_of_a_model_that_returns_records() {
    check(&evaluate(
        KNOWN,
        "outputs.append(out)
#       ^^^^^^^^^^^^^^^^^^^ OOM204 error tensors",
    ));
}

#[test]
fn a_record_whose_field_is_read() {
    check(&evaluate(
        UNKNOWN,
        "print(out.loss.item(), out.logits.shape)
        outputs.append(out)
#       ^^^^^^^^^^^^^^^^^^^ OOM204 error tensors",
    ));
}

#[test]
fn what_may_be_a_tensor_is_one() {
    check(&evaluate(
        UNKNOWN,
        "print(out.shape, out.argmax())
        outputs.append(out)
#       ^^^^^^^^^^^^^^^^^^^ OOM203 error tensors",
    ));
}

#[test]
fn a_field_is_a_tensor() {
    check(&evaluate(
        KNOWN,
        "outputs.append(out.logits)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM203 error tensors",
    ));
    check(&evaluate(KNOWN, "outputs.append(out.logits.cpu())"));
    check(&evaluate(KNOWN, "outputs.append(out.loss.item())"));
}
