import torch
from torch import nn
from meters import Meter
from streets import loaders, SegNet

net = SegNet(19).cuda()
opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
ce = nn.CrossEntropyLoss(ignore_index=255)
train_dl, val_dl = loaders("/data/streets", 8)
for epoch in range(120):
    meter, val = Meter(), Meter()
    net.train()
    for x, y in train_dl:
        loss = ce(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        meter.update(loss.item(), len(x))
    net.eval()
    with torch.no_grad():
        for x, y in val_dl:
            val.update(ce(net(x.cuda()), y.cuda()).item(), len(x))
    print(epoch, meter.mean, val.mean)
