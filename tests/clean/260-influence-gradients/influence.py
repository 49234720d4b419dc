import torch
from torch import autograd, nn
from mails import SpamNet, mails

net = SpamNet().cuda().eval()
net.load_state_dict(torch.load("spam.pt", map_location="cpu"))
params = [p for p in net.parameters() if p.requires_grad]
bce = nn.BCEWithLogitsLoss()
rows = []
for x, y in mails("test", 1):
    loss = bce(net(x.cuda()), y.cuda().float())
    grads = autograd.grad(loss, params)
    rows.append(torch.cat([g.flatten() for g in grads])[:4096].cpu())
print(torch.stack(rows).norm(dim=1).topk(10).indices.tolist())
