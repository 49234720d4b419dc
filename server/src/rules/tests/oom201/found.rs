//! Test loops, samplers, decoders, feature extractors.

use crate::rules::tests::check;

#[test]
fn a_test_loop() {
    check(
        "
import torch

def accuracy(model, loader):
    model.cuda()
    right = 0
    for x, y in loader:
        right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
#                 ^^^^^^^^^^^^^^^ OOM201 warning peak
    return right
",
    );
}

#[test]
fn a_test_loop_of_a_script() {
    check(
        "
import torch
import torchvision

model = torchvision.models.resnet50().cuda()
loader = torch.utils.data.DataLoader(dataset)
right = 0
for x, y in loader:
    out = model(x.cuda())
#         ^^^^^^^^^^^^^^^ OOM201 error peak
    right += (out.argmax(1) == y.cuda()).sum().item()
print(right)
",
    );
}

#[test]
fn a_test_loop_after_every_epoch() {
    check(
        "
import torch
from torch import nn

model = nn.Linear(10, 2).cuda()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    for x, y in train_loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = 0
    for x, y in test_loader:
        right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
#                 ^^^^^^^^^^^^^^^ OOM201 error peak
    print(right)
",
    );
}

#[test]
fn the_first_of_several_passes_of_one_loop() {
    check(
        "
import torch
from torch import nn

def compare(loader):
    one = nn.Linear(10, 2).cuda()
    other = nn.Linear(10, 2).cuda()
    agree = 0
    for x, _ in loader:
        a = one(x.cuda()).argmax(1)
#           ^^^^^^^^^^^^^ OOM201 error peak
        b = other(x.cuda()).argmax(1)
        agree += (a == b).sum().item()
    return agree
",
    );
}

#[test]
fn a_sampler_that_is_fed_its_own_state() {
    check(
        "
import torch
from torch import nn

class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def forward(self, x, t):
        return self.layer(x)

def sample():
    model = Denoiser().cuda()
    x = torch.randn(1, 64, device='cuda')
    for t in reversed(range(1000)):
        noise = model(x, t)
#               ^^^^^^^^^^^ OOM216 error full-graph
        x = x - 0.01 * noise
    return x.cpu().numpy()
",
    );
}

#[test]
fn a_decoder_that_is_given_its_cache() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM

def decode(ids):
    model = AutoModelForCausalLM.from_pretrained('gpt2').cuda()
    model.train()
    past = None
    words = []
    for step in range(256):
        out = model(ids, past_key_values=past, use_cache=True)
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM216 error full-graph
        past = out.past_key_values
        ids = out.logits[:, -1].argmax(-1, keepdim=True)
        words.append(ids.item())
    return words
",
    );
}

#[test]
fn a_feature_extractor() {
    check(
        "
import numpy as np
import torch
import torchvision

def extract(loader):
    backbone = torchvision.models.resnet50().cuda()
    features = []
    for x, _ in loader:
        features.append(backbone(x.cuda()).detach().cpu().numpy())
#                       ^^^^^^^^^^^^^^^^^^ OOM201 error peak
    return np.concatenate(features)
",
    );
}

#[test]
fn every_loop_is_a_loop() {
    for head in [
        "for x in loader:\n        pass",
        "for step in range(1000):\n        x = next(batches)",
        "while True:\n        x = next(batches)",
        "for x in tqdm(loader):\n        pass",
        "for step, x in enumerate(loader):\n        pass",
    ] {
        check(&format!(
            "
import torch
from tqdm import tqdm

def run(loader, batches):
    model = torch.nn.Linear(10, 2).cuda()
    {head}
        print(model(x.cuda()).argmax(1))
#             ^^^^^^^^^^^^^^^ OOM201 error peak
"
        ));
    }
}

#[test]
fn a_generator() {
    check(
        "
import torch

def predictions(loader):
    model = torch.nn.Linear(10, 2).cuda()
    for x in loader:
        yield model(x.cuda()).argmax(1).cpu()
#             ^^^^^^^^^^^^^^^ OOM201 error peak
",
    );
}

#[test]
fn a_comprehension() {
    check(
        "
import torch

def predictions(loader):
    model = torch.nn.Linear(10, 2).cuda()
    return [model(x.cuda()).argmax(1).cpu() for x in loader]
#           ^^^^^^^^^^^^^^^ OOM201 error peak
",
    );
}

#[test]
fn an_async_loop() {
    check(
        "
import torch

async def serve(requests):
    model = torch.nn.Linear(10, 2).cuda()
    async for x in requests:
        print(model(x.cuda()).argmax(1))
#             ^^^^^^^^^^^^^^^ OOM201 error peak
",
    );
}

#[test]
fn a_context_that_leaves_gradients_on() {
    check(
        "
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with torch.autocast('cuda'):
        for x in loader:
            print(model(x.cuda()).argmax(1))
#                 ^^^^^^^^^^^^^^^ OOM201 error peak
",
    );
}
