import torch
from torch import nn
from pairs import pair_loader
from tower import Tower

left, right = Tower(768).cuda(), Tower(768).cuda()
opt = torch.optim.Adam([*left.parameters(), *right.parameters()], 2e-5)
cos = nn.CosineEmbeddingLoss(margin=0.2)
for ep in range(5):
    mean_loss = torch.zeros(1, device="cuda")
    for q, d, rel in pair_loader(32):
        opt.zero_grad()
        loss = cos(left(q.cuda()), right(d.cuda()), rel.cuda())
        loss.backward(retain_graph=True)
        opt.step()
        mean_loss = mean_loss + loss
    print(ep, mean_loss.item())
