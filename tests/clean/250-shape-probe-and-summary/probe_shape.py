import torch
from torch import nn
from torchvision import models

trunk = models.densenet121(weights="DEFAULT").features
trunk.eval()
width = trunk(torch.zeros(1, 3, 224, 224)).shape[1]
net = nn.Sequential(trunk, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 7)).cuda()
scripted = torch.jit.trace(net.eval(), torch.zeros(1, 3, 224, 224, device="cuda"))
scripted.save("net.ts")
sizes = []
for side in (160, 224, 288):
    with torch.no_grad():
        sizes.append(tuple(trunk.cuda()(torch.zeros(1, 3, side, side, device="cuda")).shape))
print(width, sizes)
