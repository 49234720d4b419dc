import copy
import torch
from torch import nn
from energy import windows


class Forecaster(nn.Module):
    def __init__(self, n_in=24, hid=128, horizon=48):
        super().__init__()
        self.gru = nn.GRU(n_in, hid, 2, batch_first=True)
        self.head = nn.Linear(hid, horizon)

    def forward(self, x):
        return self.head(self.gru(x)[0][:, -1])


class EarlyStopping:
    def __init__(self, patience=10):
        self.patience, self.bad, self.best, self.state = patience, 0, float("inf"), None

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.state = {k: v.cpu() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad > self.patience


def validate(model, loader, crit):
    model.eval()
    per_batch = []
    for x, y in loader:
        pred = model(x.cuda())
        per_batch.append(crit(pred, y.cuda()))
    return sum(per_batch) / len(per_batch)


if __name__ == "__main__":
    model, crit = Forecaster().cuda(), nn.L1Loss()
    opt = torch.optim.Adam(model.parameters())
    stop = EarlyStopping()
    train, val = windows("train", 256), windows("val", 256)
    for epoch in range(200):
        model.train()
        for x, y in train:
            opt.zero_grad()
            crit(model(x.cuda()), y.cuda()).backward()
            opt.step()
        if stop(validate(model, val, crit), model):
            break
    model.load_state_dict(stop.state)
