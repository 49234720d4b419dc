import torch
from torch import nn
from ct import Radon, phantom

dev = torch.device("cuda")
net = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 3, padding=1)).to(dev)
A, img = Radon(180).to(dev), phantom(256).to(dev)
sino, z = A(img), torch.rand(1, 1, 256, 256, device=dev)
opt = torch.optim.Adam(net.parameters(), 1e-2)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=50)
previous, change = None, []
for it in range(3000):
    loss = (A(net(z)) - sino).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if previous is not None:
        change.append(abs(loss.item() - previous) / previous)
    previous = loss.item()
    sched.step(loss.detach())
    if change and change[-1] < 1e-7:
        break
print(it, previous, (net(z) - img).abs().mean().item())
