import torch
import torch.nn.functional as F
from torch import nn
from corpus import token_batches


class Experts(nn.Module):
    def __init__(self, d, n=8):
        super().__init__()
        self.gate = nn.Linear(d, n)
        self.w = nn.ModuleList(nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d)) for _ in range(n))

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        top, idx = p.max(-1)
        y = torch.zeros_like(x)
        for k, f in enumerate(self.w):
            m = idx == k
            y[m] = f(x[m]) * top[m].unsqueeze(-1)
        balance = (p.mean((0, 1)) * F.one_hot(idx, len(self.w)).float().mean((0, 1))).sum() * len(self.w)
        return x + y, balance


class LM(nn.Module):
    def __init__(self, v=32_000, d=512, layers=8):
        super().__init__()
        self.emb, self.out = nn.Embedding(v, d), nn.Linear(d, v)
        self.layers = nn.ModuleList(Experts(d) for _ in range(layers))
        self.balance = []

    def forward(self, ids):
        self.balance = []
        x = self.emb(ids)
        for layer in self.layers:
            x, b = layer(x)
            self.balance.append(b)
        return self.out(x)


model = LM().cuda()
opt = torch.optim.AdamW(model.parameters(), 3e-4)
for step, ids in enumerate(token_batches(32, 512)):
    ids = ids.cuda()
    logits = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss = loss + 0.01 * sum(model.balance)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, loss.item())
