import torch
import torch.nn.functional as F
from torch import nn


class Contrast(nn.Module):
    def __init__(self, make, dim=128, K=16_384, m=0.999, T=0.2):
        super().__init__()
        self.q, self.k, self.m, self.T, self.K = make(dim), make(dim), m, T, K
        self.k.load_state_dict(self.q.state_dict())
        self.k.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _enqueue(self, keys):
        at = int(self.ptr)
        self.queue[:, at : at + len(keys)] = keys.T
        self.ptr[0] = (at + len(keys)) % self.K

    @torch.no_grad()
    def _follow(self):
        for a, b in zip(self.q.parameters(), self.k.parameters()):
            b.data = b.data * self.m + a.data * (1 - self.m)

    def forward(self, im_q, im_k):
        q = F.normalize(self.q(im_q), dim=1)
        with torch.no_grad():
            self._follow()
            k = F.normalize(self.k(im_k), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        logits = torch.cat([pos, q @ self.queue.clone().detach()], 1) / self.T
        self._enqueue(k)
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long, device=q.device))


def train(model, loader, epochs, dev="cuda"):
    model.to(dev)
    opt = torch.optim.SGD(model.q.parameters(), 0.03, 0.9, weight_decay=1e-4)
    for ep in range(epochs):
        avg = 0.0
        for i, (a, b) in enumerate(loader):
            loss = model(a.to(dev), b.to(dev))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            avg += (loss.item() - avg) / (i + 1)
        print(ep, avg)
