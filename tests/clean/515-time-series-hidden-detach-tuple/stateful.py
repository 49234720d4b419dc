import torch
from torch import nn
from meters import streams

dev = torch.device("cuda")
lstm, head = nn.LSTM(6, 96, batch_first=True).to(dev), nn.Linear(96, 1).to(dev)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()], 1e-3)
mse = nn.MSELoss()
for epoch in range(30):
    state, shown, n = None, 0.0, 0
    for chunk, target in streams("households", 64):
        chunk, target = chunk.to(dev), target.to(dev)
        if state is not None:
            state = tuple(s.detach() for s in state)
        loss = torch.zeros((), device=dev)
        for k in range(0, chunk.size(1), 24):
            out, state = lstm(chunk[:, k : k + 24], state)
            loss += mse(head(out), target[:, k : k + 24])
        opt.zero_grad()
        loss.backward()
        opt.step()
        shown += loss.item()
        n += 1
    print(epoch, shown / n)
