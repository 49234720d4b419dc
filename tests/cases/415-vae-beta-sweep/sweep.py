import torch
import torch.nn.functional as F
from torch import nn, optim
from torchvision import datasets, transforms

cuda = torch.device("cuda")
kw = dict(batch_size=128, num_workers=2, pin_memory=True)
mk = lambda train: torch.utils.data.DataLoader(
    datasets.FashionMNIST("data", train, transforms.ToTensor(), download=True), shuffle=train, **kw)
train_loader, test_loader = mk(True), mk(False)


class VAE(nn.Module):
    def __init__(self, z=20):
        super().__init__()
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(784, 400), nn.ReLU())
        self.mu, self.lv = nn.Linear(400, z), nn.Linear(400, z)
        self.dec = nn.Sequential(nn.Linear(z, 400), nn.ReLU(), nn.Linear(400, 784))

    def forward(self, x):
        h = self.enc(x)
        mu, lv = self.mu(h), self.lv(h)
        return self.dec(mu + torch.randn_like(mu) * (0.5 * lv).exp()), mu, lv


def terms(model, x):
    out, mu, lv = model(x)
    rec = F.binary_cross_entropy_with_logits(out, x.flatten(1), reduction="sum")
    return rec, -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())


def train(model, opt, beta):
    model.train()
    r_sum = k_sum = 0
    for x, _ in train_loader:
        rec, kl = terms(model, x.to(cuda))
        opt.zero_grad()
        (rec + beta * kl).backward()
        opt.step()
        r_sum += rec
        k_sum += kl.detach()
    return r_sum / len(train_loader.dataset), k_sum / len(train_loader.dataset)


def test(model):
    model.eval()
    elbo = 0
    for x, _ in test_loader:
        elbo -= sum(terms(model, x.to(cuda)))
    return elbo / len(test_loader.dataset)


results = {}
for beta in (0.5, 1.0, 4.0, 10.0):
    model = VAE().to(cuda)
    opt = optim.Adam(model.parameters(), 1e-3)
    for epoch in range(20):
        train(model, opt, beta)
    results[beta] = test(model)
print({b: float(v) for b, v in results.items()})
