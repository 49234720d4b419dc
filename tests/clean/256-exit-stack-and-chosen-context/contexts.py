from contextlib import ExitStack, nullcontext

import torch
from torch import nn
from bees import BeeNet, hives

net = BeeNet().cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
ce = nn.CrossEntropyLoss()


def sweep(loader, learn):
    net.train(learn)
    guard = nullcontext() if learn else torch.no_grad()
    total = 0.0
    with guard:
        for x, y in loader:
            loss = ce(net(x.cuda()), y.cuda())
            if learn:
                opt.zero_grad()
                loss.backward()
                opt.step()
            total += loss.item()
    return total / len(loader)


def logits(loader):
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(torch.autocast("cuda"))
        net.eval()
        return [net(x.cuda()).float().cpu() for x, _ in loader]


for ep in range(20):
    print(ep, sweep(hives("train"), True), sweep(hives("val"), False))
print(len(logits(hives("test"))))
