//! Evaluation mode in every place it can be switched on.

use crate::rules::tests::check;

#[test]
fn a_validation_loop() {
    check(
        "
import torch

def validate(model, loader):
    model.eval()
    right = 0
    for x, y in loader:
        right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
#                 ^^^^^^^^^^^^^^^ OOM202 error peak
    return right
",
    );
}

#[test]
fn every_way_to_switch_evaluation_mode_on() {
    for (start, switch) in [
        ("torch.nn.Linear(10, 2).cuda()", "model.eval()"),
        ("torch.nn.Linear(10, 2).cuda()", "model.train(False)"),
        ("torch.nn.Linear(10, 2).cuda()", "model.train(mode=False)"),
        ("torch.nn.Linear(10, 2).cuda().eval()", "pass"),
        ("torch.nn.Linear(10, 2).cuda()", "model = model.eval()"),
    ] {
        check(&format!(
            "
import torch

def validate(loader):
    model = {start}
    {switch}
    for x, y in loader:
        print((model(x.cuda()).argmax(1) == y.cuda()).sum())
#              ^^^^^^^^^^^^^^^ OOM202 error peak
"
        ));
    }
}

#[test]
fn between_epochs_the_peak_is_lower_than_in_training() {
    check(
        "
import torch

def fit(model, train_loader, val_loader, criterion, optimizer):
    for epoch in range(10):
        model.train()
        for x, y in train_loader:
            loss = criterion(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        right = 0
        for x, y in val_loader:
            right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
#                     ^^^^^^^^^^^^^^^ OOM202 error peak
        print(right)
",
    );
}

#[test]
fn a_trainer_that_validates_in_a_method() {
    check(
        "
import torch

class Trainer:
    def __init__(self, model, criterion, optimizer):
        self.model = model
        self.criterion = criterion
        self.optimizer = optimizer

    def train(self, loader):
        self.model.train()
        for x, y in loader:
            loss = self.criterion(self.model(x.cuda()), y.cuda())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def validate(self, loader):
        self.model.eval()
        total = 0.0
        for x, y in loader:
            loss = self.criterion(self.model(x.cuda()), y.cuda())
#                                 ^^^^^^^^^^^^^^^^^^^^ OOM202 error peak
            total += loss.item()
        return total
",
    );
}

#[test]
fn a_decoder_that_is_given_its_cache() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

def decode(ids):
    model = AutoModelForCausalLM.from_pretrained('gpt2').cuda().eval()
    past = None
    words = []
    for step in range(256):
        out = model(ids, past_key_values=past, use_cache=True)
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM216 error full-graph
        past = out.past_key_values
        ids = out.logits[:, -1].argmax(-1, keepdim=True)
        words.append(ids.item())
    return words
",
    );
}

#[test]
fn a_caller_that_switches_the_mode() {
    check(
        "
import torch

def run(model, loader):
    for x, y in loader:
        print((model(x.cuda()).argmax(1) == y.cuda()).sum())
#              ^^^^^^^^^^^^^^^ OOM202 error peak

def main(loader):
    model = torch.nn.Linear(10, 2).cuda()
    model.eval()
    run(model, loader)
",
    );
}

#[test]
fn a_decorator_that_does_not_reach_into_an_async_function() {
    check(
        "
import torch

@torch.no_grad()
async def validate(model, loader):
    model.eval()
    for x, y in loader:
        print(model(x.cuda()).argmax(1))
#             ^^^^^^^^^^^^^^^ OOM202 error peak
",
    );
}
