from collections import Counter, defaultdict

import torch
from torch import nn
from hands import HandNet, batches


class Losses(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = weights

    def forward(self, pred, gold):
        parts = {k: nn.functional.l1_loss(pred[k], gold[k]) for k in self.weights}
        total = sum(self.weights[k] * v for k, v in parts.items())
        return total, {k: v.detach() for k, v in parts.items()}


net, losses = HandNet().cuda(), Losses({"joints": 1.0, "verts": 0.5, "pose": 0.1})
opt = torch.optim.Adam(net.parameters(), 1e-4)
for epoch in range(60):
    tally, history, seen = defaultdict(float), defaultdict(list), Counter()
    for img, gold in batches(48):
        gold = {k: v.cuda() for k, v in gold.items()}
        total, parts = losses(net(img.cuda()), gold)
        opt.zero_grad()
        total.backward()
        opt.step()
        for k, v in parts.items():
            tally[k] += v
            history[k].append(v.item())
            seen[k] += 1
    print(epoch, {k: (v / seen[k]).item() for k, v in tally.items()})
