import torch
from torch import nn
from harbour import TideNet, windows

device = torch.device("cuda")
net = TideNet(12, 256).to(device)
opt = torch.optim.Adam(net.parameters(), 1e-3)
mse = nn.MSELoss()
rmse_curve, ppl = [], 0.0
for epoch in range(100):
    net.train()
    for series, level, bucket in windows("train", 128):
        series, level, bucket = series.to(device), level.to(device), bucket.to(device)
        pred, logits = net(series)
        loss = mse(pred, level)
        ce = nn.functional.cross_entropy(logits, bucket)
        opt.zero_grad()
        (loss + 0.1 * ce).backward()
        opt.step()
        rmse_curve.append(torch.sqrt(loss))
        loss_value = loss.item()
        ce_value = ce.item()
        ppl += torch.exp(ce)
    print(epoch, loss_value, ce_value, ppl)
