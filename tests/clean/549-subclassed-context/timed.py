import time
import torch
from torch import nn
from cheese import CheeseNet, cheese_loader


class Evaluation(torch.no_grad):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def __enter__(self):
        self.start = time.perf_counter()
        self.net.eval()
        return super().__enter__()

    def __exit__(self, *exc):
        self.net.train()
        print(f"{time.perf_counter() - self.start:.1f} s")
        return super().__exit__(*exc)


net, ce = CheeseNet().cuda(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters())
for epoch in range(5):
    for x, y in cheese_loader("train"):
        opt.zero_grad()
        ce(net(x.cuda()), y.cuda()).backward()
        opt.step()
    total = 0
    with Evaluation(net):
        for x, y in cheese_loader("val"):
            total += ce(net(x.cuda()), y.cuda())
    print(epoch, float(total))
