import torch
import torch.nn.functional as F
from parsing import Biaffine, treebank

parser = Biaffine(words=40_000, tags=50).cuda()
adam = torch.optim.Adam(parser.parameters(), 2e-3, betas=(0.9, 0.9))


def dev_nll(sets):
    parser.eval()
    return sum(F.cross_entropy(parser(w.cuda()).flatten(0, 1), h.cuda().flatten()) for w, h in sets) / len(sets)


for epoch in range(100):
    parser.train()
    for w, h in treebank("train", 5000):
        loss = F.cross_entropy(parser(w.cuda()).flatten(0, 1), h.cuda().flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
    print(epoch, dev_nll(treebank("dev", 5000)).item())
