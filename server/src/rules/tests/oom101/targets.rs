//! Every kind of thing that a total can be, and every way to add to it.

use crate::rules::tests::check;

#[test]
fn a_name() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total / len(loader))
",
    );
}

#[test]
fn at_the_top_level_of_a_script() {
    check(
        "
import torch
from torch import nn, optim
from torch.utils.data import DataLoader

model = nn.Linear(10, 2).cuda()
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(dataset, batch_size=32)
total = 0
for epoch in range(10):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
print(total)
",
    );
}

#[test]
fn before_the_backward_it_is_the_same() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
        loss.backward()
        optimizer.step()
    return float(total)
",
    );
}

#[test]
fn a_name_assigned_its_own_sum() {
    for sum in ["total + loss", "loss + total", "torch.add(total, loss)"] {
        let source = format!(
            "
import torch

def fit(model, loader, criterion, optimizer):
    total = torch.zeros(1).cuda()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total = {sum}
#       {} OOM101 warning nodes-only
    print(total)
",
            "^".repeat(8 + sum.len())
        );
        check(&source);
    }
}

#[test]
fn in_place_addition() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = torch.zeros((), device='cuda')
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total.add_(loss)
#       ^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}

#[test]
fn an_attribute() {
    check(
        "
import torch

class Trainer:
    def __init__(self, model, criterion, optimizer):
        self.model = model
        self.criterion = criterion
        self.optimizer = optimizer
        self.running_loss = 0.0

    def fit(self, loader):
        for x, y in loader:
            loss = self.criterion(self.model(x.cuda()), y.cuda())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.running_loss += loss
#           ^^^^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
        print(self.running_loss)
",
    );
}

#[test]
fn an_attribute_added_to_by_another_method() {
    check(
        "
import torch

class Trainer:
    def __init__(self, model, criterion, optimizer):
        self.model = model
        self.criterion = criterion
        self.optimizer = optimizer
        self.running_loss = 0.0

    def step(self, x, y):
        loss = self.criterion(self.model(x.cuda()), y.cuda())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.running_loss += loss
#       ^^^^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only

    def fit(self, loader):
        for x, y in loader:
            self.step(x, y)
        print(self.running_loss)
",
    );
}

#[test]
fn an_item_of_a_dict() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    totals = {'loss': 0.0, 'right': 0}
    for x, y in loader:
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        loss.backward()
        optimizer.step()
        totals['loss'] += loss
#       ^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
        totals['right'] += (out.argmax(1) == y.cuda()).sum()
    print(totals)
",
    );
}

#[test]
fn an_item_of_a_tensor() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    totals = torch.zeros(2, device='cuda')
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        totals[0] += loss
#       ^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(totals)
",
    );
}

#[test]
fn a_moving_average() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    average = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        average = 0.9 * average + 0.1 * loss
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(average)
",
    );
}

#[test]
fn a_global() {
    check(
        "
import torch

total = 0.0

def fit(model, loader, criterion, optimizer):
    global total
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only
",
    );
}

#[test]
fn a_variable_of_an_outer_function() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0

    def step(x, y):
        nonlocal total
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ OOM101 warning nodes-only

    for x, y in loader:
        step(x, y)
    print(total)
",
    );
}

#[test]
fn a_meter_of_the_same_file_is_blamed_on_its_caller() {
    check(
        "
import torch

class Meter:
    def __init__(self):
        self.sum = 0
        self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

def fit(model, loader, criterion, optimizer):
    losses = Meter()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss, x.size(0))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(losses.sum / losses.count)
",
    );
}

#[test]
fn a_loss_times_the_batch_size() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss * x.size(0)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}

#[test]
fn the_loss_that_a_model_returns() {
    check(
        "
import torch
from transformers import AutoModelForSequenceClassification

def fit(loader, optimizer):
    model = AutoModelForSequenceClassification.from_pretrained('gpt2').cuda()
    model.gradient_checkpointing_enable()
    total = 0.0
    for batch in loader:
        outputs = model(**batch)
        outputs.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += outputs.loss
#       ^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total / len(loader))
",
    );
}

#[test]
fn what_a_training_step_of_the_same_file_returns() {
    check(
        "
import torch

def train_step(model, criterion, optimizer, x, y):
    loss = criterion(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        total += train_step(model, criterion, optimizer, x, y)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    print(total)
",
    );
}
