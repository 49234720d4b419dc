//! Loops without gradients, and loops whose gradients somebody uses.

use crate::rules::tests::check;

#[test]
fn regions_without_gradients() {
    for region in [
        "torch.no_grad()",
        "torch.inference_mode()",
        "torch.inference_mode(True)",
        "torch.inference_mode(mode=True)",
        "torch.set_grad_enabled(False)",
        "torch.set_grad_enabled(mode=False)",
        "torch.autograd.grad_mode.no_grad()",
        "torch.autocast('cuda'), torch.no_grad()",
    ] {
        check(&format!(
            "
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with {region}:
        for x in loader:
            print(model(x.cuda()).argmax(1))
"
        ));
    }
}

#[test]
fn decorated_functions() {
    for decorator in ["torch.no_grad()", "torch.no_grad", "torch.inference_mode()", "torch.inference_mode"] {
        check(&format!(
            "
import torch

@{decorator}
def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    for x in loader:
        print(model(x.cuda()).argmax(1))
"
        ));
    }
}

#[test]
fn a_switch_for_the_whole_process() {
    check(
        "
import torch

torch.set_grad_enabled(False)
model = torch.nn.Linear(10, 2).cuda()
for x in loader:
    print(model(x.cuda()).argmax(1))
",
    );
}

#[test]
fn a_function_that_is_only_called_without_gradients() {
    check(
        "
import torch

def run(model, loader):
    for x in loader:
        print(model(x.cuda()).argmax(1))

def main(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with torch.no_grad():
        run(model, loader)
",
    );
}

#[test]
fn a_frozen_model() {
    for freeze in [
        "model.requires_grad_(False)",
        "for p in model.parameters(): p.requires_grad = False",
        "for p in model.parameters():\n        p.requires_grad_(False)",
    ] {
        check(&format!(
            "
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    {freeze}
    for x in loader:
        print(model(x.cuda()).argmax(1))
"
        ));
    }
}

#[test]
fn hooks_that_a_framework_calls_without_gradients() {
    check(
        "
import lightning as L
import torch

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(10, 2)

    def validation_step(self, batch, batch_idx):
        for x in batch:
            print(self.layer(x).argmax(1))

    def test_step(self, batch, batch_idx):
        for x in batch:
            print(self.layer(x).argmax(1))

    def predict_step(self, batch, batch_idx):
        return [self.layer(x).argmax(1) for x in batch]
",
    );
}

#[test]
fn generation_switches_gradients_off_by_itself() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

def answer(prompts):
    tokenizer = AutoTokenizer.from_pretrained('gpt2')
    model = AutoModelForCausalLM.from_pretrained('gpt2').cuda()
    for prompt in prompts:
        ids = tokenizer(prompt, return_tensors='pt').input_ids.cuda()
        print(tokenizer.decode(model.generate(ids, max_new_tokens=20)[0]))
",
    );
}

#[test]
fn a_pipeline_switches_gradients_off_by_itself() {
    check(
        "
import torch
from diffusers import StableDiffusionPipeline

def draw(prompts):
    pipe = StableDiffusionPipeline.from_pretrained('runwayml/stable-diffusion-v1-5').to('cuda')
    for prompt in prompts:
        pipe(prompt).images[0].save(f'{prompt}.png')
",
    );
}

#[test]
fn gradients_with_respect_to_the_input() {
    check(
        "
import torch

def attack(loader, criterion):
    model = torch.nn.Linear(10, 2).cuda()
    for x, y in loader:
        x = x.cuda().requires_grad_()
        loss = criterion(model(x), y.cuda())
        gradient, = torch.autograd.grad(loss, x)
        print((x + 0.1 * gradient.sign()).detach().cpu())
",
    );
}

#[test]
fn a_training_loop() {
    check(
        "
import torch

def fit(loader, criterion):
    model = torch.nn.Linear(10, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
",
    );
}

#[test]
fn a_step_elsewhere_that_is_handed_the_loss() {
    check(
        "
import torch
from mylib import take_step

def fit(loader, criterion):
    model = torch.nn.Linear(10, 2).cuda()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        take_step(loss)
",
    );
}

#[test]
fn a_forward_pass_of_a_module() {
    check(
        "
import torch
from torch import nn

class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(10, 10) for _ in range(12)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
",
    );
}

#[test]
fn one_pass_outside_any_loop() {
    check(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
print(model(torch.randn(1, 10).cuda()).argmax(1))
",
    );
}

#[test]
fn a_handful_of_passes() {
    check(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
for _ in range(3):
    model(torch.randn(1, 10).cuda())
",
    );
}

#[test]
fn a_loss_of_the_projects_own() {
    check(
        "
import torch
from torch import nn

class FocalLoss(nn.Module):
    def __init__(self, gamma=0, alpha=None):
        super().__init__()
        self.gamma, self.alpha = gamma, alpha
        if isinstance(alpha, list):
            self.alpha = torch.Tensor(alpha)

    def forward(self, scores, target):
        logs = scores.log_softmax(1).gather(1, target)
        if self.alpha is not None:
            logs = logs * self.alpha.gather(0, target.view(-1))
        return -(1 - logs.exp()) ** self.gamma * logs

for _ in range(1000):
    scores = torch.rand(12800, 2).cuda()
    print(FocalLoss(gamma=2)(scores, labels.cuda()).mean().item())
",
    );
}
