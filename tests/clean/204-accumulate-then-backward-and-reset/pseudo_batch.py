import torch
import torch.nn as nn
from bags import WholeSlideBags
from abmil import AttentionMIL

net = AttentionMIL(1024).cuda()
opt = torch.optim.Adam(net.parameters(), 2e-4)
bce = nn.BCEWithLogitsLoss()
k, pending, count = 16, 0.0, 0
for epoch in range(50):
    curve = []
    for bag, label in WholeSlideBags("train"):
        pending = pending + bce(net(bag.cuda()), label.cuda()) / k
        count += 1
        if count == k:
            opt.zero_grad()
            pending.backward()
            opt.step()
            curve.append(pending.item())
            pending, count = 0.0, 0
    print(epoch, sum(curve) / max(1, len(curve)))
