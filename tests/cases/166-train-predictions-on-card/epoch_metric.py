import torch
from torch import nn
from sklearn.metrics import roc_auc_score
from slides import TileNet, tiles

net = TileNet(1000).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-4)
bce = nn.BCEWithLogitsLoss()
for epoch in range(10):
    scores, golds = [], []
    for x, y in tiles("train", 256):
        z = net(x.cuda())
        loss = bce(z, y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        scores.append(z)
        golds.append(y)
    print(epoch, roc_auc_score(torch.cat(golds).numpy(), torch.cat(scores).sigmoid().detach().cpu().numpy()))
