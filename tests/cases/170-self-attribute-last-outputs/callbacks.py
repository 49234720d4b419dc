import torch
from torch import nn
from solar import PanelNet, panels


class Recorder:
    def __init__(self):
        self.batches = []
        self.epochs = []

    def on_batch(self, value):
        self.batches.append(value)

    def on_epoch(self):
        self.epochs.append(sum(float(v) for v in self.batches) / len(self.batches))
        self.batches = []


class Engine:
    def __init__(self, net, callbacks):
        self.net, self.callbacks = net.cuda(), callbacks
        self.opt = torch.optim.Adam(net.parameters(), 1e-3)

    def run(self, data, epochs):
        for _ in range(epochs):
            for x, y in data:
                loss = nn.functional.mse_loss(self.net(x.cuda()), y.cuda())
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                for cb in self.callbacks:
                    cb.on_batch(loss)
            for cb in self.callbacks:
                cb.on_epoch()


Engine(PanelNet(), [Recorder()]).run(panels(64), 50)
