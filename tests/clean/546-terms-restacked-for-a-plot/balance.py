import torch
from torch import nn
from plasma import ShotNet, shots

net = ShotNet(24).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
share_sum = torch.zeros(3, device="cuda")
for step, (x, te, ne, q) in enumerate(shots("west", 128)):
    te_hat, ne_hat, q_hat = net(x.cuda()).unbind(1)
    terms = {
        "te": nn.functional.mse_loss(te_hat, te.cuda()),
        "ne": nn.functional.mse_loss(ne_hat, ne.cuda()),
        "q": nn.functional.l1_loss(q_hat, q.cuda()),
    }
    opt.zero_grad()
    sum(terms.values()).backward()
    opt.step()
    names, values = [], []
    for name in sorted(terms):
        names.append(name)
        values.append(terms[name])
    with torch.no_grad():
        share = torch.stack(values)
        share_sum += share / share.sum()
    if step % 200 == 0:
        print(step, dict(zip(names, (share_sum / (step + 1)).tolist())))
