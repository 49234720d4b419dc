import torch
from torch import nn
from traffic import long_series, short_series

net, head = nn.GRU(12, 256, 2, batch_first=True).cuda(), nn.Linear(256, 12).cuda()
opt = torch.optim.Adam([*net.parameters(), *head.parameters()])
mse = nn.MSELoss()
for ep in range(30):
    shown = 0.0
    for x in short_series(64):
        x = x.cuda()
        h = torch.zeros(2, x.size(0), 256, device="cuda")
        out, h = net(x[:, :-1], h)
        loss = mse(head(out), x[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        shown += loss.item()
    for series in long_series(16):
        h = None
        for part in series.cuda().split(128, dim=1):
            out, h = net(part[:, :-1], h)
            loss = mse(head(out), part[:, 1:])
            opt.zero_grad()
            loss.backward()
            opt.step()
            h = h.detach()
            shown += loss.item()
    print(ep, shown)
