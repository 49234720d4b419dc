import torch
from torch import nn
from seismic import Shots


class Denoiser:
    results = []
    crit = nn.MSELoss()

    def __init__(self, net, device="cuda"):
        self.device = device
        self.net = net.to(device)

    @staticmethod
    def snr(clean, out):
        return 10 * torch.log10(clean.pow(2).sum() / (clean - out).pow(2).sum())

    @property
    def mean_snr(self):
        return sum(r["snr"] for r in self.results) / len(self.results)

    def fit(self, loader, epochs=20):
        opt = torch.optim.Adam(self.net.parameters(), 1e-3)
        for _ in range(epochs):
            for noisy, clean in loader:
                loss = self.crit(self.net(noisy.to(self.device)), clean.to(self.device))
                opt.zero_grad()
                loss.backward()
                opt.step()

    def test(self, loader):
        self.net.eval()
        for noisy, clean in loader:
            out = self.net(noisy.to(self.device))
            type(self).results.append({"snr": self.snr(clean.to(self.device), out), "out": out.cpu()})
        return self.mean_snr


if __name__ == "__main__":
    from seismic.nets import DnCNN, UNet1d
    for make in (DnCNN, UNet1d):
        d = Denoiser(make())
        d.fit(Shots("train", 32))
        print(make.__name__, d.test(Shots("test", 32)).item())
