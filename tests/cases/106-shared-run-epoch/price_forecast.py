from dataclasses import dataclass

import torch
from torch import nn
from series import windows


@dataclass
class Config:
    hidden: int = 512
    depth: int = 6
    lr: float = 3e-4
    epochs: int = 40
    device: str = "cuda"


class Forecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        layer = nn.TransformerEncoderLayer(cfg.hidden, 8, batch_first=True)
        self.lift = nn.Linear(7, cfg.hidden)
        self.body = nn.TransformerEncoder(layer, cfg.depth)
        self.out = nn.Linear(cfg.hidden, 1)

    def forward(self, w):
        return self.out(self.body(self.lift(w))[:, -1]).squeeze(-1)


def run_epoch(cfg, net, data, huber, opt=None, train=True):
    net.train(train)
    total = 0
    for w, target in data:
        pred = net(w.to(cfg.device))
        cost = huber(pred, target.to(cfg.device))
        if train:
            opt.zero_grad()
            cost.backward()
            opt.step()
        total += cost
    return total / len(data)


def main():
    cfg = Config()
    net = Forecaster(cfg).to(cfg.device)
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
    huber = nn.HuberLoss()
    tr, va = windows("train", 256), windows("valid", 256)
    for ep in range(cfg.epochs):
        a = run_epoch(cfg, net, tr, huber, opt)
        b = run_epoch(cfg, net, va, huber, train=False)
        print(f"{ep} {a:.4f} {b:.4f}")


main()
