import torch
from torch import nn, optim
from torch.nn import functional as F
from torchvision import datasets, transforms
from torchvision.utils import save_image

device = torch.device("cuda")
kw = {"batch_size": 128, "num_workers": 2}
train_loader = torch.utils.data.DataLoader(datasets.MNIST("d", train=True, download=True, transform=transforms.ToTensor()), shuffle=True, **kw)
test_loader = torch.utils.data.DataLoader(datasets.MNIST("d", train=False, transform=transforms.ToTensor()), **kw)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.f1, self.f21, self.f22 = nn.Linear(784, 400), nn.Linear(400, 20), nn.Linear(400, 20)
        self.f3, self.f4 = nn.Linear(20, 400), nn.Linear(400, 784)

    def decode(self, z):
        return torch.sigmoid(self.f4(F.relu(self.f3(z))))

    def forward(self, x):
        h = F.relu(self.f1(x.view(-1, 784)))
        mu, lv = self.f21(h), self.f22(h)
        return self.decode(mu + torch.randn_like(mu) * (0.5 * lv).exp()), mu, lv


model = VAE().to(device)
opt = optim.Adam(model.parameters(), 1e-3)


def cost(r, x, mu, lv):
    return F.binary_cross_entropy(r, x.view(-1, 784), reduction="sum") - 0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())


for epoch in range(1, 11):
    model.train()
    total = 0
    for x, _ in train_loader:
        x = x.to(device)
        opt.zero_grad()
        r, mu, lv = model(x)
        loss = cost(r, x, mu, lv)
        loss.backward()
        total += loss.item()
        opt.step()
    model.eval()
    held = 0
    with torch.no_grad():
        for x, _ in test_loader:
            x = x.to(device)
            r, mu, lv = model(x)
            held += cost(r, x, mu, lv)
        sample = model.decode(torch.randn(64, 20, device=device)).cpu()
        save_image(sample.view(64, 1, 28, 28), f"{epoch}.png")
    print(epoch, total / len(train_loader.dataset), float(held) / len(test_loader.dataset))
