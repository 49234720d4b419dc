import torch
import torch.nn as nn
from grid import SequentialWindows


class Forecaster(nn.Module):
    def __init__(self, n_in=24, width=384, horizon=96):
        super().__init__()
        self.inp = nn.Linear(n_in, width)
        self.rnn = nn.GRU(width, width, num_layers=2, batch_first=True)
        self.out = nn.Linear(width, horizon)

    def forward(self, x, h=None):
        y, h = self.rnn(torch.relu(self.inp(x)), h)
        return self.out(y[:, -1]), h


def pinball(pred, target, q=0.5):
    e = target - pred
    return torch.maximum(q * e, (q - 1) * e).mean()


device = "cuda:0"
model = Forecaster().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
windows = SequentialWindows("load_2012_2018.parquet", length=672, batch=64)
states = {}

for epoch in range(20):
    states.clear()
    losses = []
    for name, x, target in windows:
        x, target = x.to(device), target.to(device)
        pred, state = model(x, states.get(name))
        loss = pinball(pred, target)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        states[name] = state
        losses.append(loss.item())
    print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")
    torch.save(model.state_dict(), "forecaster.pt")
