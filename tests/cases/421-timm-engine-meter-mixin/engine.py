import time
import torch
from contextlib import suppress
from pointclouds import chamfer


class Averages:
    """Keeps sum, count and mean for several names."""

    def __init__(self, *names):
        self.total = {n: 0.0 for n in names}
        self.count = dict.fromkeys(names, 0)

    def update(self, name, val, n=1):
        self.total[name] += val * n
        self.count[name] += n

    def mean(self, name):
        return self.total[name] / max(self.count[name], 1)


class EpochMixin:
    def epoch(self, loader, amp=None):
        meters = Averages("coarse", "fine", "time")
        end = time.time()
        for partial, full in loader:
            partial, full = partial.cuda(non_blocking=True), full.cuda(non_blocking=True)
            with amp() if amp else suppress():
                coarse, fine = self.model(partial)
                l1, l2 = chamfer(coarse, full), chamfer(fine, full)
            self.optimizer.zero_grad()
            (l1 + 0.5 * l2).backward()
            self.optimizer.step()
            meters.update("coarse", l1, len(full))
            meters.update("fine", l2.item(), len(full))
            meters.update("time", time.time() - end)
            end = time.time()
        return meters.mean("coarse"), meters.mean("fine")


class Runner(EpochMixin):
    def __init__(self, model, lr):
        self.model = model.cuda()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr, betas=(0.0, 0.9))
