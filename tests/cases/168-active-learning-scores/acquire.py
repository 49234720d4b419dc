import torch
from torch.utils.data import DataLoader, Subset
from textcnn import TextCNN, corpus


def fit(net, data, epochs=5):
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    net.train()
    for _ in range(epochs):
        for x, y in DataLoader(data, 64, shuffle=True):
            loss = torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda())
            opt.zero_grad()
            loss.backward()
            opt.step()


def acquire(net, pool, k):
    net.eval()
    entropies = {}
    for ids, x in DataLoader(pool, 256):
        p = net(x.cuda()).softmax(1)
        ent = -(p * p.log()).sum(1)
        for j, e in zip(ids.tolist(), ent):
            entropies[j] = e
    return sorted(entropies, key=lambda j: float(entropies[j]))[-k:]


texts, pool = corpus()
chosen = list(range(100))
for round in range(10):
    net = TextCNN(30_000, 6).cuda()
    fit(net, Subset(texts, chosen))
    chosen += acquire(net, pool, 100)
