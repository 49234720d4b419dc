import argparse
import os

import torch
from torch import nn
from glaciers import IceNet, ice_loader

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default="0")
parser.add_argument("--epochs", type=int, default=20)
options = parser.parse_args()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = options.gpu

torch.manual_seed(1)
net = IceNet().cuda()
criterion = nn.MSELoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(options.epochs):
    total = 0.0
    for x, y in ice_loader():
        opt.zero_grad()
        loss = criterion(net(x.cuda()), y.cuda())
        loss.backward()
        opt.step()
        total += loss.item()
    print(epoch, total)
