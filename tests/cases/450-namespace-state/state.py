from types import SimpleNamespace
import torch
from torch import nn
from wafers import WaferNet, wafer_loader

state = SimpleNamespace(step=0, total=0.0, best=float("inf"))
net = WaferNet(38).cuda()
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
ce = nn.CrossEntropyLoss()
for epoch in range(60):
    state.total = 0.0
    for x, y in wafer_loader("train", 128):
        loss = ce(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        state.total += loss
        state.step += 1
    if float(state.total) < state.best:
        state.best = float(state.total)
