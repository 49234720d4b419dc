//! Logits of a batch that are still there when the next ones are made.

use crate::rules::tests::{check, findings};

/// A training loop of a language model with these lines in it.
fn train(lines: &str) -> String {
    format!(
        "
import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda()
model.gradient_checkpointing_enable()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in loader:
    ids = batch.cuda()
    {lines}
    optimizer.step()
    optimizer.zero_grad()
"
    )
}

#[test]
fn the_record_of_the_last_batch() {
    check(&train(
        "outputs = model(ids, labels=ids, use_cache=False)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM120 information peak
    loss = outputs.loss
    loss.backward()",
    ));
}

#[test]
fn logits_and_what_is_made_of_them() {
    check(&train(
        "logits = model(ids, use_cache=False).logits
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM120 information peak
    shifted = logits[:, :-1].float()
    loss = F.cross_entropy(shifted.reshape(-1, 100), ids[:, 1:].reshape(-1))
    loss.backward()",
    ));
}

#[test]
fn a_loss_holds_nothing_large() {
    check(&train(
        "loss = model(ids, labels=ids, use_cache=False).loss
    loss.backward()",
    ));
}

#[test]
fn what_is_deleted_is_gone() {
    check(&train(
        "outputs = model(ids, labels=ids, use_cache=False)
    outputs.loss.backward()
    del outputs",
    ));
    check(&train(
        "outputs = None
    outputs = model(ids, labels=ids, use_cache=False)
    outputs.loss.backward()",
    ));
}

#[test]
fn names_of_a_step_go_with_it() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

def step(model, ids):
    outputs = model(ids, labels=ids, use_cache=False)
    outputs.loss.backward()
    return outputs.loss.item()

model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda()
model.gradient_checkpointing_enable()
for batch in loader:
    loss = step(model, batch.cuda())
",
    );
}

#[test]
fn what_a_step_returns_stays() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

def step(model, ids):
    outputs = model(ids, labels=ids, use_cache=False)
    outputs.loss.backward()
    return outputs.loss.item(), outputs.logits

model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda()
model.gradient_checkpointing_enable()
for batch in loader:
    loss, logits = step(model, batch.cuda())
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM120 information peak
    print(loss, logits.argmax(-1)[0])
",
    );
}

#[test]
fn a_model_of_the_file_with_a_head_over_the_vocabulary() {
    check(
        "
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.body = nn.Embedding(vocab_size, 512)
        self.head = nn.Linear(512, vocab_size)

    def forward(self, ids):
        return self.head(self.body(ids))

model = Model(vocab).cuda()
criterion = nn.CrossEntropyLoss()
for ids, labels in loader:
    logits = model(ids.cuda())
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM120 information peak
    criterion(logits.flatten(0, 1), labels.cuda().flatten()).backward()
",
    );
}

#[test]
fn a_few_labels_are_small() {
    let source = train("outputs = model(ids, labels=ids)\n    outputs.loss.backward()");
    check(&source.replace("ForCausalLM", "ForSequenceClassification"));
}

#[test]
fn few_logits_are_small() {
    check(&train(
        "outputs = model(ids, logits_to_keep=1, use_cache=False)
    outputs.logits.sum().backward()",
    ));
}

#[test]
fn a_fused_loss_has_no_logits() {
    let source = train("outputs = model(ids, labels=ids, use_cache=False)\n    outputs.loss.backward()");
    check(&format!("from liger_kernel.transformers import apply_liger_kernel_to_llama\n{source}"));
}

#[test]
fn an_evaluation_holds_them_too() {
    check(
        "
import torch
from transformers import AutoModelForMaskedLM

model = AutoModelForMaskedLM.from_pretrained('some/model').cuda().eval()
right = 0
with torch.no_grad():
    for ids, labels in loader:
        logits = model(ids.cuda()).logits
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM120 information peak
        right += (logits.argmax(-1).cpu() == labels).sum().item()
",
    );
}

#[test]
fn a_known_vocabulary_and_length_that_make_them_large() {
    check(
        "
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained('Qwen/Qwen2.5-0.5B')
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-0.5B', dtype='auto').cuda()
model.gradient_checkpointing_enable()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rows = data.map(lambda row: tokenizer(row['text'], max_length=2048, truncation=True))
for batch in DataLoader(rows, batch_size=4):
    outputs = model(**batch, use_cache=False)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM120 warning peak
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
",
    );
}

/// What the fix writes into a loop with these lines.
#[track_caller]
fn fixed(lines: &str) -> Option<String> {
    let found = findings(&train(lines));
    let fix = found.iter().find(|finding| finding.code == "OOM120")?.fix.as_ref()?;
    fix.edits.first().map(|edit| edit.content.clone())
}

#[test]
fn the_names_are_deleted_behind_their_last_use() {
    let lines = "outputs = model(ids, labels=ids)\n    outputs.loss.backward()";
    assert_eq!(fixed(lines), Some("\n    del outputs".to_owned()));
}

#[test]
fn what_is_read_behind_the_loop_is_not_deleted() {
    let source = train("outputs = model(ids, labels=ids)\n    outputs.loss.backward()");
    let found = findings(&format!("{source}print(outputs.loss)\n"));
    assert!(found.iter().any(|finding| finding.code == "OOM120" && finding.fix.is_none()));
}

#[test]
fn a_decoding_that_goes_on_with_its_state() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('some/model', dtype='auto').cuda().eval()
carry = None
with torch.no_grad():
    for piece in loader:
        answer = model(piece.cuda(), state=carry)
        carry = answer.state
        print(answer.logits.argmax(-1)[0])
",
    );
}
