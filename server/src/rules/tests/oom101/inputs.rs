//! Totals whose graphs hold their inputs even after backward.

use crate::rules::tests::check;

/// A loop that trains a language model, made by these statements, and keeps a sum.
fn trains(model: &str, last: &str) -> String {
    format!(
        "
# vramlens: ignore-file[OOM110, OOM117]
import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

{model}
optimizer = torch.optim.AdamW(model.parameters())
total = 0.0
for batch in DataLoader(data, batch_size=4):
    loss = model(**batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    {last}
print(total)
"
    )
}

const KEPT: &str = "total += loss
#   ^^^^^^^^^^^^^ OOM101 error tensors";
const FREED: &str = "total += loss
#   ^^^^^^^^^^^^^ OOM101 warning nodes-only";

#[test]
fn a_model_prepared_for_an_adapter() {
    let prepared = "
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', load_in_4bit=True, device_map={'': 0})
model = get_peft_model(prepare_model_for_kbit_training(model), LoraConfig(r=8))";
    check(&trains(prepared, KEPT));
    check(&trains(prepared, "total += loss.item()"));
    let without = prepared.replace("(model)", "(model, use_gradient_checkpointing=False)");
    check(&trains(&without, FREED));
}

#[test]
fn gradients_let_through_to_the_inputs() {
    let opened = "
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', dtype=torch.bfloat16, device_map={'': 0})
model.enable_input_require_grads()
model = get_peft_model(model, LoraConfig(r=8))";
    check(&trains(opened, KEPT));
    // All weights train: the embedding's output is no leaf.
    check(&trains(&opened.replace("model = get_peft_model(model, LoraConfig(r=8))", ""), FREED));
}

#[test]
fn layers_in_eight_bit() {
    let eight = "
model = AutoModelForCausalLM.from_pretrained(
    'Qwen/Qwen3-4B', quantization_config=BitsAndBytesConfig(load_in_8bit=True), device_map={'': 0}
)
model = get_peft_model(model, LoraConfig(r=8))";
    check(&trains(eight, KEPT));
    check(&trains(&eight.replace("8bit", "4bit"), FREED));
}

#[test]
fn an_input_that_asks_for_gradients() {
    let attacks = |made: &str, kept: &str| {
        format!(
            "
import torch

def fit(model, loader, criterion, optimizer):
    shift = torch.zeros(3, 224, 224, device='cuda', requires_grad=True)
    total = 0.0
    for x, y in loader:
        x = {made}
        loss = criterion(model(x), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {kept}
    print(total)
"
        )
    };
    let kept = "total += loss
#       ^^^^^^^^^^^^^ OOM101 error tensors";
    check(&attacks("x.cuda().requires_grad_()", kept));
    // One tensor for all iterations.
    check(&attacks("x.cuda() + shift", &kept.replace("error tensors", "warning nodes-only")));
}
