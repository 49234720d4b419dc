import torch
import torch.nn.functional as F
from cifar import loader, WideResNet

net = WideResNet(34, 10).cuda()
opt = torch.optim.SGD(net.parameters(), 0.1, 0.9, weight_decay=2e-4)


def perturb(x, steps=10, eps=0.031, alpha=0.007):
    net.eval()
    with torch.no_grad():
        p = net(x).softmax(1)
    adv = x + 0.001 * torch.randn_like(x)
    for _ in range(steps):
        adv.requires_grad_()
        with torch.enable_grad():
            kl = F.kl_div(net(adv).log_softmax(1), p, reduction="sum")
        g = torch.autograd.grad(kl, [adv])[0]
        adv = adv.detach() + alpha * g.sign()
        adv = (x + (adv - x).clamp(-eps, eps)).clamp(0, 1)
    net.train()
    return adv.detach()


for epoch in range(76):
    seen = worst = 0
    run = dict(nat=0.0, rob=0.0)
    for x, y in loader("train", 128):
        x, y = x.cuda(), y.cuda()
        adv = perturb(x)
        opt.zero_grad()
        logits = net(x)
        nat = F.cross_entropy(logits, y)
        rob = F.kl_div(net(adv).log_softmax(1), logits.softmax(1), reduction="batchmean")
        (nat + 6.0 * rob).backward()
        opt.step()
        run["nat"] += nat.item() * len(y)
        run["rob"] += rob.item() * len(y)
        seen += len(y)
        if (v := nat.item()) > worst:
            worst = v
    print(epoch, run["nat"] / seen, run["rob"] / seen, worst)
