import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision import datasets, transforms


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 32, 3)
        self.c2 = nn.Conv2d(32, 64, 3)
        self.drop = nn.Dropout(0.4)
        self.fc = nn.Linear(9216, 10)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return F.log_softmax(self.fc(self.drop(torch.flatten(x, 1))), dim=1)


def fit_one(opt_args, net, where, batches, sgd):
    net.train()
    agg = 0
    for k, (img, lab) in enumerate(batches):
        img, lab = img.to(where), lab.to(where)
        sgd.zero_grad()
        err = F.nll_loss(net(img), lab)
        err.backward()
        sgd.step()
        agg = agg + err
        if k % opt_args.every == 0:
            print("step", k, err.item())
    return agg / len(batches)


def check(net, where, batches):
    net.eval()
    agg, good = 0, 0
    for img, lab in batches:
        img, lab = img.to(where), lab.to(where)
        guess = net(img)
        agg += F.nll_loss(guess, lab, reduction="sum")
        good += guess.argmax(dim=1).eq(lab).sum().item()
    print("loss", agg / len(batches.dataset), "acc", good / len(batches.dataset))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--every", type=int, default=50)
    p.add_argument("--epochs", type=int, default=14)
    a = p.parse_args()
    where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    t = transforms.ToTensor()
    tr = torch.utils.data.DataLoader(datasets.MNIST("d", True, t, download=True), 64, shuffle=True)
    te = torch.utils.data.DataLoader(datasets.MNIST("d", False, t), 1000)
    net = Net().to(where)
    sgd = torch.optim.Adadelta(net.parameters(), lr=1.0)
    for e in range(a.epochs):
        print(e, float(fit_one(a, net, where, tr, sgd)))
        check(net, where, te)
