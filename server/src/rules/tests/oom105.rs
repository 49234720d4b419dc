use super::check;

/// A script with this loop over two networks.
fn script(loop_body: &str) -> String {
    format!(
        "
import torch
from torch import nn

one = nn.Linear(64, 10).cuda()
two = nn.Linear(64, 1).cuda()
optimizer = torch.optim.Adam(list(one.parameters()) + list(two.parameters()))

def fit(loader, criterion):
    for x, y in loader:
        optimizer.zero_grad()
{loop_body}
        optimizer.step()
"
    )
}

#[test]
fn the_only_backward() {
    check(&script(
        "        loss = criterion(one(x.cuda()), y.cuda())
        loss.backward(retain_graph=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM105 warning peak",
    ));
}

#[test]
fn the_last_of_two_backwards() {
    check(&script(
        "        features = one(x.cuda())
        criterion(features, y.cuda()).backward(retain_graph=True)
        two(features).mean().backward(retain_graph=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM105 warning peak",
    ));
}

#[test]
fn a_graph_that_a_later_backward_needs() {
    check(&script(
        "        features = one(x.cuda())
        criterion(features, y.cuda()).backward(retain_graph=True)
        two(features).mean().backward()",
    ));
}

#[test]
fn a_graph_that_is_made_outside_of_the_loop() {
    check(&script(
        "        features = one(x.cuda())
        for weight in (0.1, 0.5, 1.0, 2.0, 4.0):
            (weight * features.pow(2).mean()).backward(retain_graph=True)",
    ));
}

#[test]
fn a_graph_of_gradients() {
    check(&script(
        "        x = x.cuda().requires_grad_()
        score = two(x).sum()
        (slope,) = torch.autograd.grad(score, x, create_graph=True, retain_graph=True)
        (score + slope.norm()).backward()",
    ));
}

#[test]
fn a_graph_that_nothing_has_a_name_for() {
    check(
        "
import torch

def sample(energy, x, steps):
    x = x.cuda().requires_grad_()
    for _ in range(steps):
        slope = torch.autograd.grad(energy(x).sum(), [x], retain_graph=True)[0]
        x.data += slope
    return x.detach()
",
    );
}
