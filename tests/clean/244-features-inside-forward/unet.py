import torch
from torch import nn
from lungs import lungs


class Block(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.down = nn.ModuleList(Block(a, b) for a, b in zip((1, *widths), widths))
        self.up = nn.ModuleList(Block(b + a, a) for a, b in zip(widths[-2::-1], widths[:0:-1]))
        self.pool, self.rise, self.out = nn.MaxPool2d(2), nn.Upsample(scale_factor=2), nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        skips = []
        for d in self.down:
            x = d(x)
            skips.append(x)
            x = self.pool(x)
        x = skips.pop()
        for u in self.up:
            x = u(torch.cat([self.rise(x), skips.pop()], 1))
        return self.out(x)


net = UNet().cuda()
opt = torch.optim.Adam(net.parameters(), 1e-4)
for ep in range(25):
    total = 0.0
    for x, y in lungs("train", 8):
        loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += float(loss)
    with torch.no_grad():
        inter = sum(((net(x.cuda()).argmax(1) == 1) & (y.cuda() == 1)).sum() for x, y in lungs("val", 8))
    print(ep, total, inter.item())
