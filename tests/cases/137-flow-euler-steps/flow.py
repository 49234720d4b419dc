import torch
from torch import nn
from velocity import VelocityNet
from moons import moon_loader


class Flow(nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.v = VelocityNet(width)

    def loss(self, x1):
        x0 = torch.randn_like(x1)
        t = torch.rand(len(x1), 1, device=x1.device)
        return (self.v((1 - t) * x0 + t * x1, t) - (x1 - x0)).square().mean()

    def integrate(self, n, steps=100, device="cuda"):
        y, t = torch.randn(n, 3, 64, 64, device=device), 0.0
        while t < 1.0 - 1e-6:
            y = y + self.v(y, torch.full((n, 1), t, device=device)) / steps
            t += 1.0 / steps
        return y


flow = Flow().cuda()
opt = torch.optim.AdamW(flow.parameters(), 1e-4)
for step, x in enumerate(moon_loader(64)):
    loss = flow.loss(x.cuda())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 1000 == 0:
        torch.save(flow.integrate(16).detach().cpu(), f"{step}.pt")
