//! What decides how bad a kept item is.

use crate::rules::tests::check;

#[test]
fn an_output_is_as_large_as_it_is() {
    check(
        "
import torch

def fit(loader, criterion, optimizer):
    model = torch.nn.Linear(10, 2).cuda()
    outputs = []
    for x, y in loader:
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        outputs.append(out)
#       ^^^^^^^^^^^^^^^^^^^ OOM102 error tensors
    print(torch.cat(outputs).shape)
",
    );
}

#[test]
fn a_retained_graph_keeps_every_activation() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    losses = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward(retain_graph=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM105 error full-graph
        optimizer.step()
        losses.append(loss)
#       ^^^^^^^^^^^^^^^^^^^ OOM102 error full-graph
",
    );
}

#[test]
fn an_output_beside_the_backward() {
    check(
        "
import torch
from torch import nn

def fit(loader, criterion, optimizer):
    model = nn.Linear(10, 2).cuda()
    teacher = nn.Linear(10, 2).cuda()
    seen = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        seen.append(teacher(x.cuda()))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 error full-graph
    print(len(seen))
",
    );
}

#[test]
fn evaluation_that_collects_outputs() {
    check(
        "
import torch

def predict(model, loader):
    model.eval()
    outputs = []
    for x, _ in loader:
        out = model(x.cuda())
#             ^^^^^^^^^^^^^^^ OOM202 error peak
        outputs.append(out)
#       ^^^^^^^^^^^^^^^^^^^ OOM102 error full-graph
    return torch.cat(outputs).detach().cpu()
",
    );
}

#[test]
fn hidden_states_collected_in_evaluation() {
    check(
        "
import torch
from transformers import AutoModel

def embed(loader):
    model = AutoModel.from_pretrained('bert-base-uncased').cuda().eval()
    vectors = []
    for batch in loader:
        out = model(**batch, output_hidden_states=True)
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM202 error peak
        vectors.append(out.hidden_states[-1][:, 0])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 error full-graph
    print(torch.cat(vectors).shape)
",
    );
}

#[test]
fn items_that_are_dropped_again() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    losses = []
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        losses.append(loss)
#       ^^^^^^^^^^^^^^^^^^^ OOM102 information nodes-only
        if step % 100 == 0:
            print(torch.stack(losses).mean())
            losses.clear()
",
    );
}

#[test]
fn an_output_of_a_model_from_elsewhere() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    outputs = []
    for x, y in loader:
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        loss.backward()
        optimizer.step()
        outputs.append(out)
#       ^^^^^^^^^^^^^^^^^^^ OOM102 error tensors
",
    );
}

#[test]
fn a_bound_comes_from_an_option_and_its_default() {
    check(
        "
import argparse
from collections import deque

import torch

parser = argparse.ArgumentParser()
parser.add_argument('--keep-last', '-k', type=int, default=50)
args = parser.parse_args()
model = torch.nn.Linear(10, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
recent = deque(maxlen=args.keep_last)
for x in loader:
    loss = model(x.cuda()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    recent.append(loss)
#   ^^^^^^^^^^^^^^^^^^^ OOM102 information nodes-only
",
    );
}

#[test]
fn a_module_that_is_trained_through_code_elsewhere_stays_silent() {
    check(
        "
import torch
from torch import nn
from .masks import set_masks

class Explainer:
    def __init__(self):
        self.mlp = nn.Linear(64, 1).cuda()
        self.optimizer = torch.optim.Adam(self.mlp.parameters())

    def train(self, model, x, parts, target):
        masks = self.masks(parts)
        set_masks(model, masks)
        loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        self.optimizer.step()

    def masks(self, parts):
        masks = {}
        for kind, part in parts.items():
            masks[kind] = self.mlp(part).sigmoid()
        return masks
",
    );
}

#[test]
fn the_function_of_another_process_and_what_it_is_given() {
    check(
        "
import torch
import torch.multiprocessing as mp

def actor(rank, policy):
    kept = []
    for obs in observations:
        kept.append(policy(obs.cuda()))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 error full-graph
    torch.save(kept, f'{rank}.pt')

policy = torch.nn.Linear(64, 64).cuda()
process = mp.Process(target=actor, args=(0, policy))
process.start()
",
    );
}
