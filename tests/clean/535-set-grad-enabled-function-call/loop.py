import torch
from torch import nn
from torchmetrics import MeanMetric
from genes import GeneNet, split


def one_pass(model, loader, crit, optimizer=None, device="cuda"):
    training = optimizer is not None
    model.train(training)
    previous = torch.is_grad_enabled()
    torch.set_grad_enabled(training)
    mean, outs = MeanMetric().to(device), []
    for seq, y in loader:
        seq, y = seq.to(device), y.to(device)
        out = model(seq)
        loss = crit(out, y)
        if training:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        else:
            outs.append(out.cpu())
        mean.update(loss.detach(), len(y))
    torch.set_grad_enabled(previous)
    return mean.compute().item(), torch.cat(outs) if outs else None


model = GeneNet().cuda()
opt = torch.optim.AdamW(model.parameters(), 1e-3)
for epoch in range(30):
    tr, _ = one_pass(model, split("train"), nn.BCEWithLogitsLoss(), opt)
    va, scores = one_pass(model, split("valid"), nn.BCEWithLogitsLoss())
    print(epoch, tr, va, scores.std().item())
