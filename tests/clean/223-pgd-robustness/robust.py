import torch
import torch.nn.functional as F
from cifar import test_dl
from wrn import wrn28


def pgd(net, x, y, eps=8 / 255, alpha=2 / 255, iters=20):
    adv = x + torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(iters):
        adv = adv.detach().requires_grad_(True)
        loss = F.cross_entropy(net(adv), y)
        (g,) = torch.autograd.grad(loss, adv)
        adv = (x + (adv + alpha * g.sign() - x).clamp(-eps, eps)).clamp(0, 1)
    return adv.detach()


def robust_accuracy(net):
    net.eval()
    ok = n = 0
    for x, y in test_dl(256):
        x, y = x.cuda(), y.cuda()
        adv = pgd(net, x, y)
        with torch.no_grad():
            ok += (net(adv).argmax(1) == y).sum()
        n += len(y)
    return (ok / n).item()


print(robust_accuracy(wrn28("robust.pt").cuda()))
