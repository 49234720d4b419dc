import torch
from torch import nn
from grid import SequentialWindows

rnn = nn.LSTM(24, 384, 2, batch_first=True).cuda()
head = nn.Linear(384, 96).cuda()
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], 5e-4)
states = {}
for epoch in range(20):
    states.clear()
    seen = 0.0
    for name, x, y in SequentialWindows("load.parquet", batch=64):
        out, state = rnn(x.cuda(), states.get(name))
        loss = nn.functional.l1_loss(head(out[:, -1]), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        states[name] = tuple(s.detach() for s in state)
        seen += loss.item()
    print(epoch, seen)
