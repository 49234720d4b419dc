import torch
import torch.nn as nn
import segmentation_models_pytorch as smp
from torch.utils.data import DataLoader, random_split
from fields import FieldTiles


class FocalTversky(nn.Module):
    def __init__(self, a=0.7, g=0.75):
        super().__init__()
        self.a, self.g = a, g

    def forward(self, logits, y):
        p = logits.sigmoid().flatten(1)
        y = y.flatten(1)
        tp, fn, fp = (p * y).sum(1), ((1 - p) * y).sum(1), (p * (1 - y)).sum(1)
        return (1 - tp / (tp + self.a * fn + (1 - self.a) * fp + 1)).pow(self.g).mean()


def main(lr=2e-4, epochs=60, dev="cuda"):
    tiles = FieldTiles("/data/fields", bands=10)
    train, val = random_split(tiles, [0.9, 0.1])
    tl, vl = DataLoader(train, 16, shuffle=True, num_workers=6), DataLoader(val, 16, num_workers=6)
    net = smp.UnetPlusPlus("timm-efficientnet-b4", in_channels=10, classes=1).to(dev)
    crit, opt = FocalTversky(), torch.optim.AdamW(net.parameters(), lr)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=3)
    for epoch in range(epochs):
        net.train()
        steps = []
        for x, y in tl:
            loss = crit(net(x.to(dev)), y.to(dev))
            opt.zero_grad()
            loss.backward()
            opt.step()
            steps.append(float(loss))
        net.eval()
        dev_losses = [crit(net(x.to(dev)), y.to(dev)) for x, y in vl]
        dev_loss = torch.stack(dev_losses).mean().item()
        sched.step(dev_loss)
        print(epoch, sum(steps) / len(steps), dev_loss, opt.param_groups[0]["lr"])


if __name__ == "__main__":
    main()
