import torch
from torch import nn
from tracks import RailNet, frames

dev = torch.device("cuda")
net = RailNet().to(dev)
opt = torch.optim.AdamW(net.parameters(), 2e-4)
bce, l1 = nn.BCEWithLogitsLoss(), nn.SmoothL1Loss()
rows, last_clone, spikes = [], None, []
for epoch in range(40):
    for img, mask, offset in frames("train", 12):
        img, mask, offset = img.to(dev), mask.to(dev), offset.to(dev)
        seg, reg = net(img)
        l_seg, l_reg = bce(seg, mask), l1(reg, offset)
        loss = l_seg + 0.5 * l_reg
        opt.zero_grad()
        loss.backward()
        opt.step()
        rows.append(torch.stack([l_seg, l_reg]))
        value = loss.item()
        mean = value / 2
        if value > 10 * mean:
            print("spike")
        spikes.append(loss.clone())
    print(epoch, torch.stack(rows).mean(0).tolist())
