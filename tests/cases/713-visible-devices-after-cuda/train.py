import os
import torch
from torch import nn
from herons import HeronNet, ponds

net = HeronNet()
weights = torch.tensor([1.0, 3.0, 0.5]).cuda()
os.environ["CUDA_VISIBLE_DEVICES"] = "3"
net.cuda()
criterion = nn.CrossEntropyLoss(weight=weights)
opt = torch.optim.Adam(net.parameters())
for x, y in ponds():
    opt.zero_grad()
    criterion(net(x.cuda()), y.cuda()).backward()
    opt.step()
