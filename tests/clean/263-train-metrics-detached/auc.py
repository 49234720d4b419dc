import torch
from sklearn.metrics import roc_auc_score
from slides import TileNet, tiles

net = TileNet(1).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-4)
bce = torch.nn.BCEWithLogitsLoss()
for epoch in range(10):
    scores, golds, losses = [], [], []
    for x, y in tiles("train", 256):
        z = net(x.cuda())[:, 0]
        loss = bce(z, y.cuda().float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        scores.append(z.detach().cpu())
        golds.extend(y.tolist())
        losses.append(loss.detach())
    print(epoch, torch.stack(losses).mean().item(), roc_auc_score(golds, torch.cat(scores)))
