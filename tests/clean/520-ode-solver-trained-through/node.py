import torch
from torch import nn
from pendulum import observed

dev = "cuda"
f = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 2)).to(dev)
opt = torch.optim.Adam(f.parameters(), 1e-3)


def integrate(z, steps, dt=0.05):
    path = [z]
    for _ in range(steps):
        z = z + dt * f(z)
        path.append(z)
    return torch.stack(path, 1)


best = float("inf")
for it in range(5000):
    z0, target = (t.to(dev) for t in observed(256, 20))
    loss = (integrate(z0, 20) - target).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < best:
        best = loss.item()
with torch.no_grad():
    long = integrate(observed(1, 20)[0].to(dev), 2000)
torch.save(long.cpu(), "swing.pt")
