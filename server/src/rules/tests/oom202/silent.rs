//! Evaluation mode without gradients, and evaluation mode whose gradients somebody uses.

use crate::rules::tests::check;

#[test]
fn evaluation_without_gradients() {
    check(
        "
import torch

def validate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
    return right
",
    );
}

#[test]
fn a_frozen_batch_norm() {
    check(
        "
import torch

def fit(model, loader, criterion, optimizer):
    model.eval()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn an_attack() {
    check(
        "
import torch

def attack(model, loader, criterion):
    model.eval()
    for x, y in loader:
        x = x.cuda().requires_grad_()
        criterion(model(x), y.cuda()).backward()
        print(x.grad.sign())
",
    );
}

#[test]
fn a_saliency_map() {
    check(
        "
import torch

def saliency(model, images):
    model.eval()
    maps = []
    for image in images:
        image = image.cuda().requires_grad_()
        score = model(image).max()
        maps.append(torch.autograd.grad(score, image)[0].abs().cpu())
    return maps
",
    );
}

#[test]
fn an_image_that_is_optimized() {
    check(
        "
import torch

def dream(model, image, target):
    model.eval()
    image = image.cuda().requires_grad_()
    optimizer = torch.optim.Adam([image])
    for step in range(500):
        loss = torch.nn.functional.mse_loss(model(image), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn a_gradient_without_a_loop() {
    check(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
model.eval()
print(model(torch.randn(1, 10).cuda()))
",
    );
}

#[test]
fn a_network_of_either_kind_that_is_frozen_by_name() {
    check(
        "
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Conv2d(3, width, 3)

    def forward(self, x):
        return self.layer(x)

if tiny:
    net = Net(32)
else:
    net = Net(64)
net.eval()
for name, parameter in net.named_parameters():
    parameter.requires_grad = False
net.cuda()
for path in paths:
    save(net(read(path).cuda()).cpu())
",
    );
}
