import torch
from torch import nn
from signs import net, dl

net.cuda()
opt = torch.optim.RMSprop(net.parameters(), 1e-3)
ce = nn.CrossEntropyLoss(reduction="none")
for ep in range(30):
    a = torch.zeros((), device="cuda")
    b = torch.zeros((), device="cuda")
    c = 0.0
    worst = []
    for x, y in dl:
        each = ce(net(x.cuda()), y.cuda())
        loss = each.mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            a += loss
            worst.append(each.max().item())
        b.add_(loss.detach())
        c = c + loss.data
    print(ep, a.item(), b.item(), c.item(), max(worst))
