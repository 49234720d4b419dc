//! Totals that look like it and keep no graph, or are meant to.

use crate::rules::tests::check;

#[test]
fn numbers_and_detached_tensors() {
    for kept in [
        "loss.item()",
        "float(loss)",
        "loss.detach()",
        "loss.data",
        "loss.detach().cpu().numpy()",
        "loss.tolist()",
        "loss.item() * x.size(0)",
        "loss.clone().detach()",
        "(loss > 1).sum()",
        "out.argmax(1).eq(y.cuda()).sum()",
        "(out.argmax(dim=1) == y.cuda()).float().mean()",
        "torch.max(out, 1)[1].sum()",
        "out.topk(5)[1].sum()",
        "out.size(0)",
        "len(out)",
        "y.sum()",
    ] {
        check(&format!(
            "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        loss.backward()
        optimizer.step()
        total += {kept}
    print(total)
"
        ));
    }
}

#[test]
fn a_loss_made_of_terms() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        loss += 0.1 * out.abs().mean()
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn a_loss_over_time_steps() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = 0
        for t in range(x.size(1)):
            loss += criterion(model(x[:, t].cuda()), y[:, t].cuda())
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn a_loss_over_tasks() {
    check(
        "
import torch

def meta_step(model, tasks, criterion, optimizer):
    meta_loss = 0.0
    for task in tasks:
        x, y = task
        meta_loss += criterion(model(x.cuda()), y.cuda())
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM131 information full-graph
    optimizer.zero_grad()
    meta_loss.backward()
    optimizer.step()
",
    );
}

#[test]
fn accumulated_batches_that_are_sent_through_backward_together() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0
    for i, (x, y) in enumerate(loader):
        total = total + criterion(model(x.cuda()), y.cuda())
        if (i + 1) % 4 == 0:
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
            total = 0
",
    );
}

#[test]
fn a_penalty_over_parameters() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        penalty = 0
        for p in model.parameters():
            penalty += p.pow(2).sum()
        (loss + 1e-4 * penalty).backward()
        optimizer.step()
",
    );
}

#[test]
fn evaluation_without_gradients() {
    for region in ["torch.no_grad()", "torch.inference_mode()", "torch.set_grad_enabled(False)"] {
        check(&format!(
            "
import torch

def evaluate(model, loader, criterion):
    model.eval()
    total = 0.0
    with {region}:
        for x, y in loader:
            total += criterion(model(x.cuda()), y.cuda())
    return total / len(loader)
"
        ));
    }
}

#[test]
fn a_total_that_starts_anew_in_every_iteration() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        total = 0.0
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
        print(total)
",
    );
}

#[test]
fn a_metric_object_of_a_library() {
    check(
        "
import torch
import torchmetrics

def fit(model, loader, criterion, optimizer):
    metric = torchmetrics.MeanMetric().cuda()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        metric.update(loss)
    print(metric.compute())
",
    );
}

#[test]
fn a_meter_of_the_same_file_that_keeps_numbers() {
    check(
        "
import torch

class Meter:
    def __init__(self):
        self.sum = 0
        self.count = 0

    def update(self, value, n=1):
        if torch.is_tensor(value):
            value = value.item()
        self.sum += value * n
        self.count += n

def fit(model, loader, criterion, optimizer):
    losses = Meter()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        losses.update(loss, x.size(0))
    print(losses.sum / losses.count)
",
    );
}

#[test]
fn a_name_that_only_sounds_like_a_loss() {
    check(
        "
import numpy as np

def simulate(steps):
    total_loss = 0.0
    for step in range(steps):
        loss = np.random.rand()
        total_loss += loss
    return total_loss
",
    );
}

#[test]
fn another_framework() {
    check(
        "
import tensorflow as tf

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        with tf.GradientTape() as tape:
            loss = criterion(model(x), y)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        total += loss
    return total
",
    );
}

#[test]
fn a_residual_stream_over_layers() {
    check(
        "
import torch
from torch import nn

class Stack(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        skip = 0
        for layer in self.layers:
            x = layer(x)
            skip = skip + x
        return skip
",
    );
}

#[test]
fn comments_silence_it() {
    for comment in ["# vramlens: ignore[OOM101]", "# noqa: OOM101", "# vramlens: ignore"] {
        check(&format!(
            "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss  {comment}
    print(total)
"
        ));
    }
}
