//! Training steps that return a cache.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_fix;

#[test]
fn written_down() {
    check(
        "
import torch

def train(model, loader, optimizer):
    for batch in loader:
        out = model(batch.cuda(), labels=batch, use_cache=True)
                                                ^^^^^^^^^^^^^^ OOM119 warning peak
        loss = out.loss / 4
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
",
    );
}

#[test]
fn by_default() {
    check(
        "
import torch
import liger_kernel
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('distilbert/distilgpt2').to('cuda')
optimizer = torch.optim.AdamW(model.parameters())
for batch in loader:
    outputs = model(**batch)
              ^^^^^^^^^^^^^^ OOM119 information peak
    loss = outputs['loss']
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
",
    );
}

#[test]
fn silent_when_it_is_off_used_gone_or_not_there() {
    let script = |load: &str, step: &str| {
        format!(
            "
import torch
import liger_kernel
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification

{load}
model.cuda()
optimizer = torch.optim.AdamW(model.parameters())
for batch in loader:
    {step}
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"
        )
    };
    let load = "model = AutoModelForCausalLM.from_pretrained('distilbert/distilgpt2')";
    let step = "outputs = model(**batch)\n    loss = outputs.loss";
    for (load, step) in [
        (&*format!("{load}\nmodel.config.use_cache = False"), step),
        (&*format!("{load}\nmodel.gradient_checkpointing_enable()"), step),
        (&*load.replace("')", "', use_cache=False)"), step),
        (load, "loss = model(**batch).loss"),
        (load, "outputs = model(**batch, use_cache=False)\n    loss = outputs.loss"),
        (load, "outputs = model(**batch)\n    loss = outputs.loss + regularize(outputs)"),
        (
            load,
            "outputs = model(**batch, use_cache=True)\n    loss = outputs.loss + outputs.past_key_values.size",
        ),
        ("model = AutoModelForSeq2SeqLM.from_pretrained('google-t5/t5-small')", step),
        ("model = AutoModelForSequenceClassification.from_pretrained('prajjwal1/bert-tiny')", step),
    ] {
        check(&script(load, step));
    }
}

#[test]
fn silent_in_evaluation() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('distilbert/distilgpt2').to('cuda').eval()
with torch.no_grad():
    for batch in loader:
        outputs = model(**batch, use_cache=True)
        print(outputs.loss)
",
    );
}

#[test]
fn the_fix_turns_it_off_behind_the_load() {
    let before = "
import torch
from transformers import AutoModelForCausalLM

def train(loader):
    model = AutoModelForCausalLM.from_pretrained('distilbert/distilgpt2')  # small
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in loader:
        outputs = model(**batch)
        outputs.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
";
    check_fix(before, &before.replace("# small\n", "# small\n    model.config.use_cache = False\n"));
}
