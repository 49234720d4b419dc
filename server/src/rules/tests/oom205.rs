//! Options that make a model return tensors of every layer.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_fix;

#[test]
fn in_a_loop_without_gradients_the_result_is_still_there_in_the_next_pass() {
    check(
        "
import torch

@torch.no_grad()
def embed(model, loader):
    for batch in loader:
        out = model(batch.cuda(), output_hidden_states=True)
                                  ^^^^^^^^^^^^^^^^^^^^^^^^^ OOM205 warning peak
        print(out.last_hidden_state[:, 0].cpu())

def train(model, loader, optimizer):
    for batch in loader:
        out = model(batch.cuda(), labels=batch, output_hidden_states=True)
                                                ^^^^^^^^^^^^^^^^^^^^^^^^^ OOM205 information peak
        out.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
",
    );
}

#[test]
fn attentions_cost_the_attention_itself() {
    check(
        "
import torch

class Tagger(torch.nn.Module):
    def __init__(self, transformer, width):
        super().__init__()
        self.transformer = transformer
        self.head = torch.nn.Linear(width, 2)

    def forward(self, ids):
        output = self.transformer(ids, output_attentions=True)
                                       ^^^^^^^^^^^^^^^^^^^^^^ OOM205 warning peak
        return self.head(output.last_hidden_state[:, 0]).cuda()
",
    );
}

#[test]
fn a_model_that_always_returns_them() {
    check(
        "
import torch
from transformers import AutoModelForMaskedLM

model = AutoModelForMaskedLM.from_pretrained('roberta-base', output_hidden_states=True).cuda()
                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^ OOM205 information peak
with torch.no_grad():
    for batch in loader:
        print(model(**batch)[0].argmax(-1))
        del batch
",
    );
}

#[test]
fn silent_when_they_are_read_or_may_be() {
    check(
        "
import torch
from transformers import AutoModel

@torch.no_grad()
def embed(model, loader, layers, keep):
    for batch in loader:
        out = model(batch.cuda(), output_hidden_states=True)
        print(out.hidden_states[-1].mean())
        out = model(batch.cuda(), output_hidden_states=True)
        print(out[2][-1].mean())
        keep(model(batch.cuda(), output_hidden_states=True))
        last, pooled = model(batch.cuda(), output_hidden_states=True)
        out = model(batch.cuda(), output_hidden_states=layers)
        print(out.logits)

def encode(model, batch):
    return model(batch.cuda(), output_hidden_states=True)

def last(model, batch):
    return model(batch.cuda(), output_hidden_states=True).hidden_states[-2]

encoder = AutoModel.from_pretrained('bert-base-uncased', output_hidden_states=True)
print(encoder(tokens)['hidden_states'][-1])
",
    );
}

#[test]
fn the_fix_takes_the_option_out() {
    check_fix(
        "
import torch

@torch.no_grad()
def embed(model, batch):
    out = model(
        batch.cuda(),
        output_attentions=True,
        return_dict=True,
    )
    return out.logits
",
        "
import torch

@torch.no_grad()
def embed(model, batch):
    out = model(
        batch.cuda(),
        return_dict=True,
    )
    return out.logits
",
    );
}
