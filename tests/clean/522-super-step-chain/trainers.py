import torch
import torch.nn.functional as F


class Base:
    weight = 1.0

    def __init__(self, net, lr, device="cuda"):
        self.net, self.device = net.to(device), device
        self.opt = torch.optim.Adam(net.parameters(), lr)

    def loss(self, x, y):
        return self.weight * F.cross_entropy(self.net(x), y)

    def step(self, x, y):
        loss = self.loss(x.to(self.device), y.to(self.device))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return {"loss": loss.detach().item()}

    def run(self, loader):
        totals = {}
        for x, y in loader:
            for k, v in self.step(x, y).items():
                totals[k] = totals.get(k, 0) + v
        return {k: v / len(loader) for k, v in totals.items()}


class Smooth(Base):
    def loss(self, x, y):
        loss = super().loss(x, y)
        logits = self.net(x)
        loss = loss + 0.1 * logits.logsumexp(1).pow(2).mean()
        return loss


class Timed(Smooth):
    def step(self, x, y):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        out = super().step(x, y)
        b.record()
        torch.cuda.synchronize()
        return {**out, "ms": a.elapsed_time(b)}
