import torch
import torch.nn.functional as F
from torchvision import models
from pets import test_loader

net = models.resnet50(weights="DEFAULT").cuda().eval()
seen = {}
net.layer4.register_forward_hook(lambda m, i, o: seen.update(act=o))
net.layer4.register_full_backward_hook(lambda m, gi, go: seen.update(grad=go[0]))
maps = []
for img, _ in test_loader(1):
    score = net(img.cuda())
    net.zero_grad()
    score.max().backward()
    w = seen["grad"].mean((2, 3), keepdim=True)
    cam = F.relu((w * seen["act"]).sum(1))
    maps.append((cam / cam.max()).detach().cpu().numpy())
