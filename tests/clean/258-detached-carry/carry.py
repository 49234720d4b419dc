import torch
from rivers import GaugeNet, gauges

net = GaugeNet().cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
smooth, total = torch.zeros((), device="cuda"), torch.zeros((), device="cuda")
for i, (x, y) in enumerate(gauges(64), 1):
    loss = (net(x.cuda()) - y.cuda()).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    smooth = 0.9 * smooth + 0.1 * loss.detach()
    total = (total + loss).detach()
    if i % 100 == 0:
        print(i, smooth.item(), total.item() / i)
