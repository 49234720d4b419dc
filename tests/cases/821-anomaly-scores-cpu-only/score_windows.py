import numpy as np
import torch
from torch import nn
from pumps import Windows


class AE(nn.Module):
    def __init__(self, channels=38, width=512):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(channels, width, 7, 2, 3), nn.GELU(), nn.Conv1d(width, 64, 7, 2, 3))
        self.dec = nn.Sequential(nn.ConvTranspose1d(64, width, 8, 2, 3), nn.GELU(), nn.ConvTranspose1d(width, channels, 8, 2, 3))

    def forward(self, x):
        return self.dec(self.enc(x))


def train(net, loader, epochs=30):
    opt = torch.optim.Adam(net.parameters())
    for _ in range(epochs):
        for x in loader:
            x = x.cuda()
            loss = nn.functional.mse_loss(net(x), x)
            opt.zero_grad()
            loss.backward()
            opt.step()


def score(net, loader):
    net.train(False)
    errors, stamps = [], []
    for x, t in loader:
        x = x.cuda()
        rec = net(x)
        errors.append((rec - x).pow(2).mean((1, 2)).cpu())
        stamps.extend(t.tolist())
    e = torch.cat(errors)
    return stamps, ((e - e.mean()) / e.std()).detach().numpy()


if __name__ == "__main__":
    net = AE().cuda()
    train(net, torch.utils.data.DataLoader(Windows("jan", stamps=False), 64, shuffle=True))
    stamps, z = score(net, torch.utils.data.DataLoader(Windows("feb"), 256))
    np.savez("feb.npz", t=stamps, z=z)
