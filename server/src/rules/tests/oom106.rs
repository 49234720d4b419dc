use super::check;

#[test]
fn gradients_that_nothing_clears() {
    check(
        "
import torch

def fit(model, loader, criterion):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward(create_graph=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM106 error full-graph
        for p in model.parameters():
            p.data -= 0.1 * p.grad.data
",
    );
}

#[test]
fn gradients_that_are_cleared_on_purpose() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(x.cuda()), y.cuda())
        torch.autograd.backward(loss, create_graph=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM106 information peak
        optimizer.step()
",
    );
}

#[test]
fn gradients_that_go_nowhere() {
    check(
        "
import torch

def penalty(critic, mixed):
    mixed.requires_grad_(True)
    score = critic(mixed.cuda()).sum()
    (gradient,) = torch.autograd.grad(score, mixed, create_graph=True)
    return ((gradient.norm(2, dim=1) - 1) ** 2).mean()

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward(create_graph=False)
        optimizer.step()
        optimizer.zero_grad()
",
    );
}
