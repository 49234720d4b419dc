import torch
import torch.nn.functional as F
from wrn import WideResNet
from cifar_ssl import labelled, unlabelled

net = WideResNet(28, 8).cuda()
opt = torch.optim.SGD(net.parameters(), 0.03, momentum=0.9, nesterov=True)
sup_total, gap_total = 0.0, 0.0

for it, ((x, y), (weak, strong)) in enumerate(zip(labelled(64), unlabelled(448)), 1):
    sup = F.cross_entropy(net(x.cuda()), y.cuda())
    with torch.no_grad():
        target = net(weak.cuda()).softmax(1)
    gap = F.mse_loss(net(strong.cuda()).softmax(1), target)
    opt.zero_grad()
    sup.backward()
    opt.step()
    sup_total += sup.item()
    gap_total += gap
    if it % 100 == 0:
        print(it, sup_total / it, float(gap_total) / it)
