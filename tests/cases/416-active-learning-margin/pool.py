import torch
from torch.utils.data import DataLoader, Subset
from plankton import Plankton, Net


class Pool:
    def __init__(self, size, seed=200):
        order = torch.randperm(size).tolist()
        self.labeled, self.free = order[:seed], order[seed:]

    def move(self, ids):
        taken = set(ids)
        self.labeled += ids
        self.free = [i for i in self.free if i not in taken]


def margins(net, data, ids, dev):
    scores = torch.empty(0, device=dev)
    with torch.enable_grad():
        for x, _ in DataLoader(Subset(data, ids), 256):
            top = net(x.to(dev)).softmax(1).topk(2).values
            scores = torch.cat([scores, top[:, 0] - top[:, 1]])
    return scores


def fit(net, data, ids, dev, epochs=20):
    opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    for _ in range(epochs):
        for x, y in DataLoader(Subset(data, ids), 64, shuffle=True):
            opt.zero_grad()
            torch.nn.functional.cross_entropy(net(x.to(dev)), y.to(dev)).backward()
            opt.step()


data, dev = Plankton("train"), "cuda"
pool = Pool(len(data))
for round_ in range(10):
    net = Net(121).to(dev)
    fit(net, data, pool.labeled, dev)
    net.eval()
    with torch.no_grad():
        m = margins(net, data, pool.free, dev)
    pool.move([pool.free[i] for i in m.argsort()[:500].tolist()])
