//! What decides how bad a kept sum is: the loop, and the backward that runs over the graph or does not.

use crate::rules::tests::check;

#[test]
fn a_retained_graph_keeps_every_activation() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward(retain_graph=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM105 error full-graph
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 error full-graph
    print(total)
",
    );
}

#[test]
fn a_graph_that_is_not_retained_after_all() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward(retain_graph=False)
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}

#[test]
fn an_auxiliary_term_that_is_only_logged() {
    check(
        "
import torch

def fit(encoder, decoder, loader, criterion, optimizer):
    encoder.train()
    total = 0.0
    for x, y in loader:
        hidden = encoder(x.cuda())
        loss = criterion(decoder(hidden), y.cuda())
        penalty = hidden.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += penalty
#       ^^^^^^^^^^^^^^^^ OOM101 error full-graph
    print(total)
",
    );
}

#[test]
fn a_term_of_the_loss_is_freed_with_it() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        out = model(x.cuda())
        main = criterion(out, y.cuda())
        penalty = out.pow(2).mean()
        loss = main + 0.1 * penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += penalty
#       ^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}

#[test]
fn evaluation_with_gradients_on() {
    check(
        "
import torch
from torch.nn import functional as F

def evaluate(model, loader):
    model.eval()
    total = 0.0
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
#                              ^^^^^^^^^^^^^^^ OOM202 error peak
        total += loss
#       ^^^^^^^^^^^^^ OOM101 error full-graph
    return float(total) / len(loader)
",
    );
}

#[test]
fn every_way_to_run_a_backward() {
    let backwards = [
        ("from accelerate import Accelerator\naccelerator = Accelerator()", "accelerator.backward(loss)"),
        ("from lightning.fabric import Fabric\nfabric = Fabric()", "fabric.backward(loss)"),
        ("scaler = torch.amp.GradScaler('cuda')", "scaler.scale(loss).backward()"),
        ("scaler = torch.cuda.amp.GradScaler()", "scaler.scale(loss).backward()"),
        ("from apex import amp", "with amp.scale_loss(loss, optimizer) as scaled: scaled.backward()"),
        ("", "torch.autograd.backward(loss)"),
        ("", "torch.autograd.backward([loss])"),
        ("", "loss.mean().backward()"),
        ("", "(loss / 4).backward()"),
    ];
    for (setup, backward) in backwards {
        check(&format!(
            "
import torch
{setup}

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        {backward}
        optimizer.step()
        optimizer.zero_grad()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
"
        ));
    }
}

#[test]
fn an_engine_runs_its_own_backward() {
    check(
        "
import deepspeed
import torch

def fit(net, loader, criterion):
    model, optimizer, _, _ = deepspeed.initialize(model=net, config='ds.json')
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        model.backward(loss)
        model.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}

#[test]
fn a_lightning_module_with_its_own_backward() {
    check(
        "
import lightning as L
import torch
from torch.nn import functional as F

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.layer = torch.nn.Linear(10, 2)
        self.total = 0.0

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layer(x), y)
        self.manual_backward(loss)
        self.optimizers().step()
        self.total += loss
#       ^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
",
    );
}

#[test]
fn every_loop_is_a_loop() {
    let loops = [
        "for step in range(1000):\n        x, y = next(batches)",
        "for step, (x, y) in enumerate(batches):\n        pass",
        "for x, y in tqdm(batches):\n        pass",
        "while True:\n        x, y = next(batches)",
        "while step < 1000:\n        x, y = next(batches)\n        step += 1",
        "for x, y in stream():\n        pass",
    ];
    for head in loops {
        check(&format!(
            "
import torch
from tqdm import tqdm

def stream():
    while True:
        yield torch.randn(8, 10), torch.zeros(8)

def fit(model, batches, criterion, optimizer):
    step = 0
    total = 0.0
    {head}
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
        print(total)
"
        ));
    }
}

#[test]
fn a_loop_over_phases_trains_in_one_of_them() {
    check(
        "
import torch

def fit(model, loaders, criterion, optimizer):
    for epoch in range(10):
        for phase in ['train', 'val']:
            model.train() if phase == 'train' else model.eval()
            total = 0.0
            for x, y in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == 'train'):
                    loss = criterion(model(x.cuda()), y.cuda())
                    if phase == 'train':
                        loss.backward()
                        optimizer.step()
                total += loss
#               ^^^^^^^^^^^^^ OOM101 warning nodes-only
            print(total)
",
    );
}

#[test]
fn one_function_for_training_and_evaluation() {
    check(
        "
import torch

def run_epoch(model, loader, criterion, optimizer, train=True):
    model.train(train)
    total = 0.0
    with torch.set_grad_enabled(train):
        for x, y in loader:
            loss = criterion(model(x.cuda()), y.cuda())
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss
#           ^^^^^^^^^^^^^ OOM101 warning nodes-only
    return total

def fit(model, train_loader, val_loader, criterion, optimizer):
    for epoch in range(10):
        print(run_epoch(model, train_loader, criterion, optimizer))
        print(run_epoch(model, val_loader, criterion, optimizer, train=False))
",
    );
}

#[test]
fn an_inner_loop_is_judged_with_the_loop_around_it() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = 0
        for view in x.unbind(1):
            loss += criterion(model(view.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}

#[test]
fn a_closure_for_the_optimizer() {
    check(
        "
import torch

def fit(model, loader, criterion):
    optimizer = torch.optim.LBFGS(model.parameters())
    total = 0.0
    for x, y in loader:
        def closure():
            optimizer.zero_grad()
            loss = criterion(model(x.cuda()), y.cuda())
            loss.backward()
            return loss
        total += optimizer.step(closure)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}

#[test]
fn an_evaluation_with_a_criterion_from_elsewhere() {
    check(
        "
import torch

def evaluate(model, loader, criterion):
    model.eval()
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
#                        ^^^^^^^^^^^^^^^ OOM202 error peak
        total += loss
#       ^^^^^^^^^^^^^ OOM101 error full-graph
    return float(total)
",
    );
}
