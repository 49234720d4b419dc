import torch
from torch import nn
from reads import loaders

net = nn.Sequential(nn.Linear(4000, 4096), nn.GELU(), nn.Linear(4096, 4096), nn.GELU(), nn.Linear(4096, 12)).cuda()
opt = torch.optim.AdamW(net.parameters(), 1e-4)
train_dl, val_dl = loaders("reads.h5", 512)
best, best_loss, patience = None, float("inf"), 0
for epoch in range(200):
    net.train()
    for x, y in train_dl:
        loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        val = sum(nn.functional.cross_entropy(net(x.cuda()), y.cuda()).item() for x, y in val_dl)
    if val < best_loss:
        best_loss, patience = val, 0
        best = {k: v.detach().cpu().clone() for k, v in net.state_dict().items()}
    else:
        patience += 1
    if patience == 10:
        break
net.load_state_dict(best)
torch.save(best, "reads.pt")
