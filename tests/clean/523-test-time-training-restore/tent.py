import copy
import torch
from torch import nn
from corruptions import cifar10c
from models import wrn

net = wrn("standard").cuda()
net.train().requires_grad_(False)
params = []
for m in net.modules():
    if isinstance(m, nn.BatchNorm2d):
        m.requires_grad_(True)
        m.track_running_stats = False
        params += [m.weight, m.bias]
start = copy.deepcopy(net.state_dict())
opt = torch.optim.Adam(params, 1e-3)
errors = {}
for kind, loader in cifar10c(severity=5):
    net.load_state_dict(start)
    wrong, n, entropies = 0, 0, []
    for x, y in loader:
        logits = net(x.cuda())
        ent = -(logits.softmax(1) * logits.log_softmax(1)).sum(1)
        opt.zero_grad()
        ent.mean().backward()
        opt.step()
        entropies.append(ent.detach().cpu())
        wrong += (logits.argmax(1).cpu() != y).sum().item()
        n += len(y)
    errors[kind] = (wrong / n, torch.cat(entropies).mean().item())
print(errors)
