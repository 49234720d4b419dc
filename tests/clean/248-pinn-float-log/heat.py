import torch
from torch import autograd, nn

dev = torch.device("cuda")
u = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)).to(dev)
adam = torch.optim.Adam(u.parameters(), 1e-3)
log = {"pde": [], "bc": [], "all": []}


def d(y, x):
    return autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


for it in range(30_000):
    xt = torch.rand(4096, 2, device=dev, requires_grad=True)
    g = d(u(xt), xt)
    pde = (g[:, 1:] - 0.1 * d(g[:, :1], xt)[:, :1]).square().mean()
    edge = torch.rand(256, 2, device=dev)
    edge[:, 0] = edge[:, 0].round()
    bc = u(edge).square().mean()
    loss = pde + 10 * bc
    adam.zero_grad()
    loss.backward()
    adam.step()
    for k, v in zip(log, (pde, bc, loss)):
        log[k].append(float(v))
