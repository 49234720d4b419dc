import torch
from torch import nn
from burgers import collocation, boundary, residual

dev = torch.device("cuda")
u = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 1)).to(dev)
xf, (xb, ub) = collocation(20_000).to(dev).requires_grad_(True), [t.to(dev) for t in boundary(400)]
lbfgs = torch.optim.LBFGS(u.parameters(), lr=0.8, max_iter=20, line_search_fn="strong_wolfe")
history = []


def closure():
    lbfgs.zero_grad()
    loss = (u(xb) - ub).pow(2).mean() + residual(u, xf).pow(2).mean()
    loss.backward()
    history.append(loss)
    return loss


for outer in range(2500):
    lbfgs.step(closure)
    if outer % 100 == 0:
        print(outer, history[-1].item(), len(history))
