import torch
from torch import nn
from torch.nn.utils import prune
from keywords import KwsNet, speech_commands


def report(net):
    zero = total = 0
    for p in net.parameters():
        zero += (p == 0).sum().item()
        total += p.numel()
    return zero / total


net = KwsNet(35).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
convs = [m for m in net.modules() if isinstance(m, nn.Conv2d)]
sparsity, grads = [], []
for epoch in range(20):
    for x, y in speech_commands("train", 256):
        loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        for m in convs:
            loss = loss + 1e-5 * m.weight.abs().sum()
        opt.zero_grad()
        loss.backward()
        grads.append(sum(p.grad.norm().item() for p in net.parameters() if p.grad is not None))
        opt.step()
    if epoch % 5 == 4:
        for m in convs:
            prune.l1_unstructured(m, "weight", 0.2)
            prune.remove(m, "weight")
        sparsity.append(report(net))
print(sparsity, sum(grads) / len(grads))
