import torch
from torch import nn
from mol import MPNN, qm9

dev = "cuda:0"
net, mae = MPNN(64, 5).to(dev), nn.L1Loss()
opt = torch.optim.Adam(net.parameters(), 1e-3)
train_dl, dev_dl, _ = qm9(batch=128)


def dev_error():
    net.eval()
    errs = [mae(net(g.to(dev)), g.y[:, 4:5].to(dev)) for g in dev_dl]
    net.train()
    return torch.stack(errs).mean().item()


for ep in range(200):
    batch_losses = []
    for g in train_dl:
        opt.zero_grad()
        e = mae(net(g.to(dev)), g.y[:, 4:5].to(dev))
        e.backward()
        opt.step()
        batch_losses.append(e.item())
    print(ep, sum(batch_losses) / len(batch_losses), dev_error())
