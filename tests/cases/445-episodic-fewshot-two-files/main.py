import torch
from proto import episode_loss, Embed
from miniimagenet import Episodes

device = "cuda"
net = Embed().to(device)
opt = torch.optim.Adam(net.parameters(), 1e-3)
train, val = Episodes("train", 20, 5), Episodes("val", 5, 5)
best = 0.0
for epoch in range(100):
    net.train()
    for ep in train.draw(200):
        loss, _ = episode_loss(net, ep, device)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    losses, accs = [], []
    for ep in val.draw(600):
        loss, acc = episode_loss(net, ep, device)
        losses.append(loss)
        accs.append(acc)
    mean = torch.stack(losses).mean().item()
    if sum(accs) / 600 > best:
        best = sum(accs) / 600
        torch.save(net.state_dict(), "proto.pt")
    print(epoch, mean, best)
