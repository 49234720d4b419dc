from collections import deque
from types import SimpleNamespace
import torch
from torch import nn
from boats import BoatNet, boat_loader


class Recorder:
    def __init__(self, size=100):
        self.window, self._last = deque(maxlen=size), 0.0

    @property
    def last(self):
        return self._last

    @last.setter
    def last(self, value):
        self._last = value.item() if torch.is_tensor(value) else value
        self.window.append(self._last)

    def __call__(self, ctx):
        self.last = ctx.loss


class Best:
    def __init__(self):
        self.value, self.step = float("inf"), -1

    def __call__(self, ctx):
        if ctx.loss < self.value:
            self.value, self.step = float(ctx.loss), ctx.step


class Loop:
    def __init__(self, net, opt, *callbacks):
        self.net, self.opt, self.callbacks = net, opt, callbacks
        self.ctx = SimpleNamespace(step=0, loss=None)

    def run(self, loader, crit):
        for x, y in loader:
            self.opt.zero_grad()
            self.ctx.loss = crit(self.net(x.cuda()), y.cuda())
            self.ctx.loss.backward()
            self.opt.step()
            self.ctx.step += 1
            for cb in self.callbacks:
                cb(self.ctx)


net = BoatNet().cuda()
rec, best, curve = Recorder(), Best(), []
loop = Loop(net, torch.optim.Adam(net.parameters()), rec, best, lambda c: curve.append(float(c.loss)))
for epoch in range(10):
    loop.run(boat_loader(64), nn.SmoothL1Loss())
    print(epoch, sum(rec.window) / len(rec.window), best.value, best.step, curve[-1])
