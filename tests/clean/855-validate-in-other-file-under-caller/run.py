import torch
import torch.nn.functional as F
from engine import validate
from plants import loaders, Net


def hits(out, y):
    return int((out.argmax(1) == y).sum())


net = Net().cuda()
opt = torch.optim.Adam(net.parameters())
train_dl, val_dl = loaders(64)
for epoch in range(50):
    net.train()
    for x, y in train_dl:
        loss = F.cross_entropy(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        acc = validate(net, val_dl, hits)
    print(epoch, acc)
