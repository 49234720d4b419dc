from collections import deque

import torch
from torch import nn
from night import LowLight, dark_pairs

net = LowLight().cuda()
opt = torch.optim.Adam(net.parameters(), 1e-4)
l1 = nn.L1Loss()
recent = deque(maxlen=200)
for epoch in range(400):
    net.train()
    for dark, bright in dark_pairs("train", 4):
        loss = l1(net(dark.cuda()), bright.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    for dark, bright in dark_pairs("val", 4):
        out = net(dark.cuda())
        recent.append(l1(out, bright.cuda()))
    print(epoch, torch.stack(list(recent)).mean().item())
