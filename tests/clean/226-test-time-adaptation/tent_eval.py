import torch
from torch import nn
from corruptions import stream
from resnext import resnext29


def prepare(net):
    net.train()
    net.requires_grad_(False)
    params = []
    for m in net.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.requires_grad_(True)
            m.track_running_stats, m.running_mean, m.running_var = False, None, None
            params += [m.weight, m.bias]
    return params


def evaluate(net, name):
    opt = torch.optim.Adam(prepare(net), 1e-3)
    wrong = total = 0
    for x, y in stream(name, 200):
        z = net(x.cuda())
        ent = -(z.softmax(1) * z.log_softmax(1)).sum(1).mean(0)
        ent.backward()
        opt.step()
        opt.zero_grad()
        wrong += (z.argmax(1).cpu() != y).sum().item()
        total += len(y)
    return wrong / total


for c in ("fog", "snow", "jpeg"):
    print(c, evaluate(resnext29("aug.pt").cuda(), c))
