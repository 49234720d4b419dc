import copy

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models import resnet50
from twoviews import twoview_loader


class MoCo(nn.Module):
    def __init__(self, dim=128, size=65_536):
        super().__init__()
        self.q = resnet50(num_classes=dim)
        self.k = copy.deepcopy(self.q).requires_grad_(False)
        self.register_buffer("bank", F.normalize(torch.randn(dim, size), dim=0))
        self.at, self.size = 0, size

    @torch.no_grad()
    def push(self, keys):
        n = keys.size(0)
        self.bank[:, self.at : self.at + n] = keys.T
        self.at = (self.at + n) % self.size

    def forward(self, a, b):
        q = F.normalize(self.q(a))
        with torch.no_grad():
            for x, y in zip(self.q.parameters(), self.k.parameters()):
                y.lerp_(x, 0.001)
            k = F.normalize(self.k(b))
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.bank.clone().detach()
        self.push(k)
        return torch.cat([pos, neg], 1) / 0.07


m = MoCo().cuda()
opt = torch.optim.SGD(m.parameters(), 0.03, momentum=0.9)
for a, b in twoview_loader(256):
    logits = m(a.cuda(), b.cuda())
    loss = F.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long, device="cuda"))
    opt.zero_grad()
    loss.backward()
    opt.step()
