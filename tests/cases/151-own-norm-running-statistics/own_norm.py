import torch
from torch import nn
from patches import patch_loader


class CenterNorm(nn.Module):
    def __init__(self, width, momentum=0.1):
        super().__init__()
        self.gain, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.momentum = momentum
        self.register_buffer("center", torch.zeros(width))

    def forward(self, x):
        if self.training:
            mean = x.mean(dim=(0, 2, 3))
            self.center = (1 - self.momentum) * self.center + self.momentum * mean
        else:
            mean = self.center
        return (x - mean[:, None, None]) * self.gain[:, None, None] + self.bias[:, None, None]


net = nn.Sequential(nn.Conv2d(3, 64, 3), CenterNorm(64), nn.ReLU(), nn.Conv2d(64, 64, 3), CenterNorm(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 100)).cuda()
opt = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(100):
    for x, y in patch_loader(128):
        loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
