//! Autocast around more than the forward pass.

use crate::rules::tests::check;

#[test]
fn around_the_loop_and_around_the_backward() {
    check(
        "
import torch
from torch.cuda.amp import autocast

def train(model, loader, optimizer):
    with autocast():
         ^^^^^^^^^^ OOM116 warning peak
        for batch in loader:
            optimizer.zero_grad()
            loss = model(batch.cuda()).mean()
            loss.backward()
            optimizer.step()

def train_scaled(model, loader, optimizer, scaler):
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast('cuda', torch.float16):
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM116 information peak
            loss = model(batch.cuda()).mean()
            scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

def train_accelerated(model, loader, optimizer, accelerator):
    for batch in loader:
        optimizer.zero_grad()
        with accelerator.accumulate(model), accelerator.autocast():
                                            ^^^^^^^^^^^^^^^^^^^^^^ OOM116 information peak
            accelerator.backward(model(batch).mean())
        optimizer.step()
",
    );
}

#[test]
fn silent_around_the_forward_pass_and_evaluation() {
    check(
        "
import torch

def train(model, loader, optimizer, mixed):
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast('cuda', dtype=torch.bfloat16):
            loss = model(batch.cuda()).mean()
        loss.backward()
        with torch.autocast('cuda', enabled=False):
            model(batch.cuda()).float().mean().backward()
        with torch.autocast('cuda', cache_enabled=False):
            model(batch.cuda()).mean().backward()
        with torch.autocast('cuda', enabled=mixed):
            model(batch.cuda()).mean().backward()
        optimizer.step()

@torch.no_grad()
def evaluate(model, loader):
    with torch.autocast('cuda'):
        for batch in loader:
            print(model(batch.cuda()).mean())
",
    );
}
