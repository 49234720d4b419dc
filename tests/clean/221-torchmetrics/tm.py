import torch
import torchmetrics
from torchmetrics.aggregation import MeanMetric
from sketches import net, train_dl, val_dl

dev = torch.device("cuda")
net.to(dev)
acc = torchmetrics.classification.MulticlassAccuracy(num_classes=345).to(dev)
mean = MeanMetric().to(dev)
opt = torch.optim.NAdam(net.parameters(), 1e-3)
for ep in range(9):
    for x, y in train_dl:
        x, y = x.to(dev), y.to(dev)
        z = net(x)
        loss = torch.nn.functional.cross_entropy(z, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        acc.update(z, y)
        mean.update(loss.detach())
    print(ep, acc.compute().item(), mean.compute().item())
    acc.reset(), mean.reset()
    with torch.no_grad():
        for x, y in val_dl:
            acc(net(x.to(dev)), y.to(dev))
    print("val", acc.compute().item())
