import torch
from torch import nn
from genes import Sparse, expression

net = Sparse(20_000, 12).cuda()
opt = torch.optim.SGD(net.parameters(), 1e-2)
mse = nn.MSELoss()
for ep in range(40):
    shown = {"fit": 0.0, "l1": 0.0}
    for x, y in expression(128):
        fit = mse(net(x.cuda()), y.cuda())
        l1, groups = 0, []
        for p in net.parameters():
            l1 = l1 + p.abs().sum()
        for layer in net.layers:
            groups.append(layer.weight.norm(dim=1).sum())
        loss = fit + 1e-5 * l1 + 1e-4 * sum(groups)
        opt.zero_grad()
        loss.backward()
        opt.step()
        shown["fit"] += fit.item()
        shown["l1"] += l1.item()
    print(ep, shown)
