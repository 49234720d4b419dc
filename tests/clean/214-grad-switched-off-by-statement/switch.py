import torch
from nlp import Pairs, Siamese

net = Siamese(300).cuda()
opt = torch.optim.Adam(net.parameters())
contrast = torch.nn.CosineEmbeddingLoss()
for epoch in range(10):
    torch.set_grad_enabled(True)
    net.train()
    for a, b, y in Pairs("train", 64):
        opt.zero_grad()
        u, v = net(a.cuda()), net(b.cuda())
        loss = contrast(u, v, y.cuda())
        loss.backward()
        opt.step()
    torch.set_grad_enabled(False)
    net.eval()
    held, vecs = 0.0, []
    for a, b, y in Pairs("dev", 256):
        u, v = net(a.cuda()), net(b.cuda())
        held += contrast(u, v, y.cuda())
        vecs.append(u.cpu())
    print(epoch, held.item(), torch.cat(vecs).shape)
