import torch
from torch import nn
from replay import Replay


class Learner:
    def __init__(self, net, frozen, lr=1e-4, device="cuda"):
        self.net, self.frozen, self.device = net.to(device), frozen.to(device), device
        self.opt = torch.optim.Adam(self.net.parameters(), lr)
        self.huber = nn.SmoothL1Loss()

    def update(self, batch):
        s, a, r, s2, d = (t.to(self.device) for t in batch)
        with torch.no_grad():
            y = r + 0.99 * (1 - d) * self.frozen(s2).amax(1)
        loss = self.huber(self.net(s).gather(1, a).squeeze(1), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss


def loop(learner: Learner, replay: Replay, steps=5_000_000):
    trail = []
    for i in range(steps):
        trail.append(learner.update(replay.sample(256)))
        if i % 1000 == 0:
            print(i, sum(t.item() for t in trail[-1000:]) / 1000)
    return trail
