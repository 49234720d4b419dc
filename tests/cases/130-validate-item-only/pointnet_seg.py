import numpy as np
import torch
from torch import optim
from shapes3d import PartSeg, parts_loader

device = torch.device("cuda")
net = PartSeg(50).to(device)
optimizer = optim.Adam(net.parameters(), lr=1e-3)
weights = torch.ones(50, device=device)


def validate(loader, epoch):
    net.eval()
    losses, ious = [], []
    for pts, seg in loader:
        pts, seg = pts.to(device), seg.to(device)
        logits = net(pts)
        loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), seg, weight=weights)
        losses.append(loss.item())
        guess = logits.argmax(-1).cpu().numpy()
        ious.append(np.mean(guess == seg.cpu().numpy()))
    print(f"[{epoch}] {np.mean(losses):.4f} {np.mean(ious):.4f}")


for epoch in range(150):
    net.train()
    for pts, seg in parts_loader("train", 24):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(pts.to(device)).transpose(1, 2), seg.to(device), weight=weights)
        loss.backward()
        optimizer.step()
    validate(parts_loader("val", 12), epoch)
