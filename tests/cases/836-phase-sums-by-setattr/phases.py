import torch
from torch import nn
from torchvision import models
from boats import boat_loaders


class Experiment:
    def __init__(self, lr, device="cuda"):
        self.device = device
        self.net = models.densenet161(weights="IMAGENET1K_V1")
        self.net.classifier = nn.Linear(self.net.classifier.in_features, 9)
        self.net.to(device)
        self.opt = torch.optim.SGD(self.net.parameters(), lr, momentum=0.9)
        self.crit = nn.CrossEntropyLoss()
        self.loaders = boat_loaders(24)
        for phase in ("train", "val"):
            setattr(self, phase + "_loss", 0.0)
            setattr(self, phase + "_n", 0)

    def step(self, phase, x, y):
        x, y = x.to(self.device), y.to(self.device)
        if phase == "train":
            self.opt.zero_grad()
        out = self.net(x)
        loss = self.crit(out, y)
        if phase == "train":
            loss.backward()
            self.opt.step()
        name = phase + "_loss"
        setattr(self, name, getattr(self, name) + loss)
        setattr(self, phase + "_n", getattr(self, phase + "_n") + len(x))
        return (out.argmax(1) == y).sum().item()

    def epoch(self, n):
        right = {}
        for phase in ("train", "val"):
            self.net.train(phase == "train")
            setattr(self, phase + "_loss", 0.0)
            right[phase] = sum(self.step(phase, x, y) for x, y in self.loaders[phase])
        means = {p: float(getattr(self, p + "_loss")) / getattr(self, p + "_n") for p in right}
        print(n, means, right)


if __name__ == "__main__":
    e = Experiment(1e-3)
    for n in range(40):
        e.epoch(n)
