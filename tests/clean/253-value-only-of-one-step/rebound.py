import torch
from torch import nn
from stocks import Mixer, days

net = Mixer(32).cuda()
opt = torch.optim.Lion(net.parameters(), 1e-4) if hasattr(torch.optim, "Lion") else torch.optim.AdamW(net.parameters(), 1e-4)
last, terms = None, []
for x, y, w in days(256):
    out = net(x.cuda())
    terms.clear()
    terms.append(nn.functional.huber_loss(out, y.cuda()))
    terms.append(0.1 * out.diff(dim=1).abs().mean())
    last = torch.stack(terms).sum()
    opt.zero_grad()
    last.backward()
    opt.step()
print(last.item())
