import copy

import torch
from torch import nn
from omni import conv_net, one_task

net = conv_net(5).cuda()
ce = nn.CrossEntropyLoss()
for it in range(100_000):
    before = {k: v.clone() for k, v in net.state_dict().items()}
    drift = {k: torch.zeros_like(v) for k, v in before.items()}
    for _ in range(5):
        fast = copy.deepcopy(net)
        sgd = torch.optim.SGD(fast.parameters(), 0.02)
        for x, y in one_task(5, 10):
            loss = ce(fast(x.cuda()), y.cuda())
            sgd.zero_grad()
            loss.backward()
            sgd.step()
        for k, v in fast.state_dict().items():
            drift[k] = drift[k] + (v - before[k]) / 5
    net.load_state_dict({k: before[k] + 0.1 * d for k, d in drift.items()})
    if it % 1000 == 0:
        print(it, loss.item())
