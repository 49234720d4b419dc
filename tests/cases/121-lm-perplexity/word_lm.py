import math

import torch
import torch.nn as nn
from corpus import batches, vocab_size

device = "cuda"


class LM(nn.Module):
    def __init__(self, v, d=512, layers=2):
        super().__init__()
        self.emb, self.rnn, self.dec = nn.Embedding(v, d), nn.GRU(d, d, layers), nn.Linear(d, v)

    def forward(self, x, h=None):
        y, h = self.rnn(self.emb(x), h)
        return self.dec(y), h


lm = LM(vocab_size()).to(device)
opt = torch.optim.SGD(lm.parameters(), lr=20)
nll = nn.CrossEntropyLoss()


def evaluate(source):
    lm.eval()
    total, words, h = 0.0, 0, None
    for x, y in batches(source, device):
        out, h = lm(x, h)
        total += y.numel() * nll(out.flatten(0, 1), y.flatten())
        words += y.numel()
    return math.exp(total / words)


def train_epoch():
    lm.train()
    shown = 0.0
    for i, (x, y) in enumerate(batches("train", device)):
        out, _ = lm(x)
        cost = nll(out.flatten(0, 1), y.flatten())
        opt.zero_grad()
        cost.backward()
        nn.utils.clip_grad_norm_(lm.parameters(), 0.25)
        opt.step()
        shown += cost.item()
        if i % 200 == 199:
            print(i, math.exp(shown / 200))
            shown = 0.0


for epoch in range(40):
    train_epoch()
    print(epoch, evaluate("valid"))
