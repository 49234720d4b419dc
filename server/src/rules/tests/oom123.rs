use super::check;

/// A script that trains a network with these hooks.
fn script(hooks: &str) -> String {
    format!(
        "
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.last = nn.Linear(64, 10)

    def forward(self, x):
        return self.last(self.first(x))

model = Net().cuda()
kept = []
by_name = {{}}
{hooks}

def fit(loader, criterion, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
"
    )
}

#[test]
fn outputs_in_a_list() {
    check(&script(
        "
def keep(module, inputs, output):
    kept.append(output)
#   ^^^^^^^^^^^^^^^^^^^ OOM123 error tensors

model.first.register_forward_hook(keep)",
    ));
}

#[test]
fn inputs_in_a_list_under_a_name() {
    check(&script(
        "
def keep(name):
    def hook(module, inputs):
        by_name.setdefault(name, []).append(inputs[0])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM123 error tensors
    return hook

for name, layer in model.named_modules():
    layer.register_forward_pre_hook(keep(name))",
    ));
}

#[test]
fn a_lambda() {
    check(&script(
        "
model.last.register_forward_hook(lambda module, inputs, output: kept.append(output))
#                                                               ^^^^^^^^^^^^^^^^^^^ OOM123 error tensors",
    ));
}

#[test]
fn outputs_without_their_graph() {
    for store in
        ["kept.append(output.detach())", "kept.append(output.norm().item())", "by_name[module] = output"]
    {
        check(&script(&format!(
            "
def keep(module, inputs, output):
    {store}

model.first.register_forward_hook(keep)"
        )));
    }
}

#[test]
fn a_list_that_is_emptied() {
    check(&script(
        "
def keep(module, inputs, output):
    kept.append(output)

def start():
    kept.clear()

model.first.register_forward_hook(keep)",
    ));
}

#[test]
fn a_model_that_runs_without_gradients() {
    check(
        "
import torch
import torchvision

model = torchvision.models.resnet50().cuda().eval()
kept = []

def keep(module, inputs, output):
    kept.append(output)
#   ^^^^^^^^^^^^^^^^^^^ OOM123 error tensors

model.layer4.register_forward_hook(keep)
with torch.no_grad():
    for x, _ in loader:
        model(x.cuda())
",
    );
}

#[test]
fn copies_in_host_memory_without_gradients() {
    check(
        "
import torch
import torchvision

model = torchvision.models.resnet50().cuda().eval()
kept = []

def keep(module, inputs, output):
    kept.append(output.cpu())

model.layer4.register_forward_hook(keep)
with torch.no_grad():
    for x, _ in loader:
        model(x.cuda())
",
    );
}

#[test]
fn a_hook_that_a_method_makes() {
    check(
        "
import torch
import torchvision

class Tap:
    def __init__(self, net, names):
        self.store = {name: [] for name in names}
        modules = dict(net.named_modules())
        for name in names:
            modules[name].register_forward_hook(self.make(name))

    def make(self, name):
        def hook(module, inputs, output):
            self.store[name].append(output)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM123 error tensors
        return hook

net = torchvision.models.resnet50().cuda().eval()
tap = Tap(net, ['layer3', 'layer4'])
with torch.inference_mode():
    for x, _ in loader:
        net(x.cuda())
",
    );
}
