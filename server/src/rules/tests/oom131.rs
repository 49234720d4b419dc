use super::check;

/// A function that trains, with this body for one epoch.
fn epoch(body: &str) -> String {
    format!(
        "
import torch
from torch.utils.data import DataLoader

def epoch(model, data, criterion, optimizer, steps):
    loader = DataLoader(data, batch_size=16)
    optimizer.zero_grad()
{body}
    optimizer.step()
"
    )
}

#[test]
fn losses_of_all_batches_in_a_list() {
    check(&epoch(
        "
    losses = []
    for x, y in loader:
        losses.append(criterion(model(x.cuda()), y.cuda()))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM131 error full-graph
    torch.stack(losses).mean().backward()",
    ));
}

#[test]
fn losses_of_all_batches_in_a_sum() {
    check(&epoch(
        "
    total = 0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        total = total + loss
#       ^^^^^^^^^^^^^^^^^^^^ OOM131 error full-graph
    total = total / len(loader)
    total.backward()",
    ));
}

#[test]
fn losses_of_all_batches_in_a_comprehension() {
    check(&epoch(
        "
    losses = [criterion(model(x.cuda()), y.cuda()) for x, y in loader]
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM131 error full-graph
    sum(losses).backward()",
    ));
}

#[test]
fn something_that_may_be_a_handful_of_tasks() {
    check(
        "
def epoch(model, loader, criterion, optimizer):
    optimizer.zero_grad()
    total = 0
    for x, y in loader:
        total += criterion(model(x.cuda()), y.cuda())
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM131 information full-graph
    total.backward()
    optimizer.step()
",
    );
}

#[test]
fn a_backward_every_few_batches() {
    check(&epoch(
        "
    total = 0
    for index, (x, y) in enumerate(loader):
        total = total + criterion(model(x.cuda()), y.cuda())
        if (index + 1) % 4 == 0:
            total.backward()
            optimizer.step()
            total = 0",
    ));
}

#[test]
fn tasks_of_a_list_of_the_files_own() {
    check(
        "
import torch

def adapt(model, criterion, optimizer):
    tasks = [(torch.randn(4, 10), torch.randn(4, 2)) for _ in range(10)]
    for _ in range(100):
        optimizer.zero_grad()
        total = 0
        for x, y in tasks:
            total += criterion(model(x.cuda()), y.cuda())
        total.backward()
        optimizer.step()
",
    );
}

#[test]
fn tasks_of_meta_learning_with_gradients_of_their_own() {
    check(&epoch(
        "
    total = 0
    for x, y in loader:
        inner = criterion(model(x.cuda()), y.cuda())
        gradients = torch.autograd.grad(inner, list(model.parameters()), create_graph=True)
        total += sum(gradient.norm() for gradient in gradients)
    total.backward()",
    ));
}

#[test]
fn time_steps_of_one_batch() {
    check(&epoch(
        "
    for x, y in loader:
        total = 0
        for step in range(steps):
            total = total + criterion(model(x[:, step].cuda()), y[:, step].cuda())
        total.backward()",
    ));
}

#[test]
fn terms_of_one_loss() {
    check(&epoch(
        "
    for x, y in loader:
        losses = []
        for head in model.heads(x.cuda()):
            losses.append(criterion(head, y.cuda()))
        torch.stack(losses).sum().backward()",
    ));
}

#[test]
fn a_loader_that_another_file_made() {
    let source = "
import torch
from mixtures import MixLoader

class Trainer:
    def __init__(self, net, root):
        self.net, self.batches = net.cuda(), MixLoader(root)
        self.optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def epoch(self, criterion):
        total = 0
        for x, y in self.batches:
            total += criterion(self.net(x.cuda()), y.cuda())
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM131 error full-graph
        total.backward()
        self.optimizer.step()
";
    check(source);
    // What lies on the device already may be a handful of tasks.
    let there = source.replace("x.cuda()), y.cuda()", "x), y");
    check(&there.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n"));
}
