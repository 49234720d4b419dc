import torch
from torch import nn
from organs import CTSlices
from nested import UNetPlusPlus

gpu = torch.device("cuda")
net = UNetPlusPlus(1, 9, deep=True).to(gpu)
opt = torch.optim.Adam(net.parameters(), 1e-3)
dice = nn.CrossEntropyLoss()
for epoch in range(100):
    epoch_mean = 0.0
    for vol, mask in torch.utils.data.DataLoader(CTSlices("tr"), 8):
        heads = net(vol.to(gpu))
        per_head = []
        for h in heads:
            per_head.append(dice(h, mask.to(gpu)))
        total = sum(per_head) / len(per_head)
        opt.zero_grad()
        total.backward()
        opt.step()
        epoch_mean += total.item()
    print(epoch, epoch_mean)
