import torch
from torch import nn
from tabular import TabNet, adult


class Stopper:
    def __init__(self, patience=7):
        self.patience, self.best, self.bad, self.seen = patience, None, 0, []

    def __call__(self, value):
        self.seen.append(value)
        if self.best is None or value < self.best:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


def loss_on(net, dl, crit):
    net.eval()
    with torch.inference_mode():
        return sum(crit(net(x.cuda()), y.cuda()).item() * len(y) for x, y in dl) / len(dl.dataset)


net, crit = TabNet(108, 2).cuda(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), 2e-2)
tr, va = adult("train", 1024), adult("val", 4096)
stop = Stopper()
for ep in range(200):
    net.train()
    parts = []
    for x, y in tr:
        loss = crit(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        parts.append(loss.item())
    if stop(loss_on(net, va, crit)):
        break
