import torch
from torch import nn
from waves import wave_net, wave_sets


def experiment(width, lr, device="cuda"):
    net = wave_net(width).to(device)
    opt = torch.optim.Adam(net.parameters(), lr)
    crit = nn.MSELoss()
    total, seen = 0.0, 0

    def step(x, y):
        nonlocal total, seen
        loss = crit(net(x.to(device)), y.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total = total + loss
        seen += len(x)

    for epoch in range(200):
        total, seen = 0.0, 0
        for x, y in wave_sets(512):
            step(x, y)
    return float(total) / seen


print({w: experiment(w, 1e-3) for w in (64, 256, 1024)})
