import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm
from unet import Unet


class GaussianDiffusion(nn.Module):
    def __init__(self, net, size, steps=1000):
        super().__init__()
        self.net, self.size, self.steps = net, size, steps
        beta = torch.linspace(1e-4, 0.02, steps)
        self.register_buffer("beta", beta)
        self.register_buffer("abar", torch.cumprod(1 - beta, 0))

    def step(self, x, t):
        tt = torch.full((len(x),), t, device=x.device, dtype=torch.long)
        eps = self.net(x, tt)
        mean = (x - self.beta[t] / (1 - self.abar[t]).sqrt() * eps) / (1 - self.beta[t]).sqrt()
        return mean if t == 0 else mean + self.beta[t].sqrt() * torch.randn_like(x)

    @torch.no_grad()
    def sample(self, n):
        x, film = torch.randn(n, 3, self.size, self.size, device=self.beta.device), []
        for t in tqdm(reversed(range(self.steps)), total=self.steps):
            x = self.step(x, t)
            if t % 100 == 0:
                film.append(x.cpu())
        return x, film

    @torch.inference_mode()
    def inpaint(self, known, mask):
        x = torch.randn_like(known)
        for t in range(self.steps - 1, -1, -1):
            x = mask * known + (1 - mask) * self.step(x, t)
        return x

    def forward(self, x):
        t = torch.randint(0, self.steps, (len(x),), device=x.device)
        eps = torch.randn_like(x)
        a = self.abar[t][:, None, None, None]
        return F.mse_loss(self.net(a.sqrt() * x + (1 - a).sqrt() * eps, t), eps)


if __name__ == "__main__":
    from cats import cat_loader

    diff = GaussianDiffusion(Unet(64), 64).cuda()
    opt = torch.optim.Adam(diff.parameters(), 8e-5)
    for i, img in enumerate(cat_loader(32)):
        loss = diff(img.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 5000 == 0:
            torch.save(diff.sample(16)[0], f"{i}.pt")
