import torch
from torch import nn

x = torch.linspace(-1, 1, 200)[:, None]
y = x.pow(3)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(500):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(step, loss.item())
net.eval()
print(net(x[:5]))
