//! Adam over all parameters of a large model.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_unsafe_fix;

#[test]
fn in_a_loop_and_in_a_trainer() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', use_cache=False).cuda()
model.gradient_checkpointing_enable()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM110 hint static
for batch in loader:
    model(**batch).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
",
    );
}

#[test]
fn silent_about_small_models_adapters_and_what_is_spread() {
    let script = |load: &str, options: &str| {
        format!(
            "
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = {load}
options = TrainingArguments('out', bf16=True, gradient_checkpointing=True{options})
Trainer(model=model, args=options, train_dataset=data).train()
"
        )
    };
    let large = "AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B')";
    for (load, options) in [
        ("AutoModelForCausalLM.from_pretrained('distilbert/distilgpt2')", ""),
        ("AutoModelForCausalLM.from_pretrained(path)", ""),
        ("AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', load_in_4bit=True)", ""),
        (&*format!("get_peft_model({large}, LoraConfig())"), ""),
        (large, ", deepspeed='zero3.json'"),
        (large, ", optim='adafactor'"),
        (large, ", optim=chosen"),
    ] {
        check(&script(load, options));
    }
}

#[test]
fn silent_when_some_parameters_are_frozen() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', use_cache=False).cuda()
model.gradient_checkpointing_enable()
for parameter in model.model.parameters():
    parameter.requires_grad = False
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in loader:
    model(**batch).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
",
    );
}

#[test]
fn the_fix_writes_the_option() {
    let before = "
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B')
options = TrainingArguments('out', gradient_checkpointing=True, optim='adamw_torch')
Trainer(model=model, args=options, train_dataset=data).train()
";
    check_unsafe_fix(before, &before.replace("'adamw_torch'", "\"paged_adamw_8bit\""));
}
