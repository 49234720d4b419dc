import torch
from torch import nn
from ogb.nodeproppred import Evaluator
from sampling import SAGE, blocks


class Experiment:
    def __init__(self):
        self.gpu = torch.device("cuda:0")
        self.net = SAGE(100, 256, 47).to(self.gpu)
        self.opt = torch.optim.Adam(self.net.parameters(), 3e-3)
        self.outputs, self.labels = [], []

    def train(self):
        self.net.train()
        shown = 0.0
        for feats, graph, y in blocks("train", 1024):
            loss = nn.functional.cross_entropy(self.net(graph, feats.to(self.gpu)), y.to(self.gpu))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            shown += float(loss)
        return shown

    def test(self):
        self.net.eval()
        self.outputs, self.labels = [], []
        for feats, graph, y in blocks("test", 4096):
            self.outputs += [self.net(graph, feats.to(self.gpu))]
            self.labels += [y]
        pred = torch.cat(self.outputs).argmax(1, keepdim=True)
        return Evaluator("ogbn-products").eval({"y_pred": pred.cpu(), "y_true": torch.cat(self.labels)})["acc"]


e = Experiment()
for ep in range(20):
    print(ep, e.train(), e.test())
