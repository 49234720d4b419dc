import torch
from torch import nn
from callbacks import Clock, Recorder
from soil import loaders


class State:
    def __init__(self, model, opt):
        self.model, self.opt, self.epoch, self.loss = model, opt, 0, None


class Fitter:
    def __init__(self, model, crit, lr, callbacks):
        self.model, self.crit = model.to("cuda"), crit
        self.state = State(self.model, torch.optim.SGD(model.parameters(), lr, momentum=0.9))
        self.callbacks = callbacks

    def __call__(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self.state)

    def fit(self, loader, epochs):
        self("on_fit_start")
        for self.state.epoch in range(epochs):
            for x, y in loader:
                pred = self.model(x.to("cuda"))
                self.state.loss = self.crit(pred, y.to("cuda"))
                self.state.opt.zero_grad()
                self.state.loss.backward()
                self.state.opt.step()
                self("on_batch_end")
            self("on_epoch_end")


if __name__ == "__main__":
    train, _ = loaders("soil.csv", 512)
    net = nn.Sequential(nn.Linear(300, 1024), nn.SiLU(), nn.Linear(1024, 1024), nn.SiLU(), nn.Linear(1024, 7))
    Fitter(net, nn.CrossEntropyLoss(), 0.1, [Recorder(), Clock()]).fit(train, 500)
