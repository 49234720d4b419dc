import torch
from torch import nn
from stamps import StampNet, stamp_loader

net = StampNet().cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
ce = nn.CrossEntropyLoss()
lines, best, worst = [], float("inf"), 0.0
for epoch in range(10):
    for step, (x, y) in enumerate(stamp_loader("train", 64)):
        loss = ce(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        lines.append("%d/%d %.4f" % (epoch, step, loss))
        lines += ["loss {:.4f}".format(loss)]
        best = min(best, loss.detach())
    worst = max(worst, loss)
print("\n".join(lines[-10:]), best, worst)
