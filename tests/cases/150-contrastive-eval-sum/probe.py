import torch
from torch import nn
from dino import trunk
from inat import features_loader

backbone = trunk("vitl16.pth").cuda().eval()
probe = nn.Sequential(nn.Linear(1024, 8192), nn.GELU(), nn.Linear(8192, 10_000)).cuda()
opt = torch.optim.SGD(probe.parameters(), 0.1, momentum=0.9)
xent = nn.CrossEntropyLoss()


def encode(x):
    with torch.no_grad():
        return backbone(x.cuda())


for epoch in range(20):
    probe.train()
    for x, y in features_loader("train", 512):
        loss = xent(probe(encode(x)), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    probe.eval()
    val, right, seen = 0.0, 0, 0
    for x, y in features_loader("val", 512):
        f = encode(x)
        z = probe(f)
        val += xent(z, y.cuda())
        right += (z.argmax(1).cpu() == y).sum().item()
        seen += len(y)
    print(epoch, val.item(), right / seen)
