import math
import torch
from torch import nn


def mlp(width=64, depth=6):
    layers = [nn.Linear(2, width), nn.Tanh()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), nn.Tanh()]
    return nn.Sequential(*layers, nn.Linear(width, 1))


dev = torch.device("cuda")
u = mlp().to(dev)
opt = torch.optim.Adam(u.parameters(), 1e-3)
xb = torch.linspace(-1, 1, 2000, device=dev).view(-1, 1)
ub = -torch.sin(math.pi * xb)
history = {"pde": [], "initial": [], "walls": []}


def residual(n=20_000):
    xt = torch.rand(n, 2, device=dev, requires_grad=True)
    v = u(xt)
    d = torch.autograd.grad(v, xt, torch.ones_like(v), create_graph=True)[0]
    dxx = torch.autograd.grad(d[:, :1], xt, torch.ones_like(v), create_graph=True)[0][:, :1]
    return (d[:, 1:] + v * d[:, :1] - 0.01 / math.pi * dxx).pow(2).mean()


for step in range(50_000):
    opt.zero_grad()
    pde = residual()
    start = (u(torch.cat([xb, torch.zeros_like(xb)], 1)) - ub).pow(2).mean()
    walls = u(torch.cat([torch.ones_like(xb), torch.rand_like(xb)], 1)).pow(2).mean()
    (pde + start).backward()
    opt.step()
    history["pde"].append(pde.item())
    history["initial"].append(start.item())
    history["walls"].append(walls)
