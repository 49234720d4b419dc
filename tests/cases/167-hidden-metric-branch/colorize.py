import torch
from torch import nn
from torchvision.models import vgg19
from gray import ColorNet, gray_pairs

net = ColorNet().cuda()
vgg = vgg19(weights="DEFAULT").features[:27].cuda().eval()
opt = torch.optim.Adam(net.parameters(), 3e-4)
l1 = nn.L1Loss()
log = {"l1": 0.0, "lpips": 0.0}
for i, (gray, rgb) in enumerate(gray_pairs(16), 1):
    out = net(gray.cuda())
    loss = l1(out, rgb.cuda())
    dist = l1(vgg(out), vgg(rgb.cuda()))
    opt.zero_grad()
    loss.backward()
    opt.step()
    log["l1"] += loss.item()
    log["lpips"] += dist
    if i % 500 == 0:
        print({k: float(v) / i for k, v in log.items()})
