import torch
from torch import nn
from tqdm.auto import trange
from blocks import UNet2D, Autoencoder, EMA, shards


class LatentDiffusion(nn.Module):
    def __init__(self, T=1000):
        super().__init__()
        self.ae, self.unet, self.T = Autoencoder(), UNet2D(4, 320), T
        self.ae.requires_grad_(False)
        betas = torch.linspace(0.00085**0.5, 0.012**0.5, T) ** 2
        self.register_buffer("abar", torch.cumprod(1 - betas, 0))

    def forward(self, img, txt):
        with torch.no_grad():
            z = self.ae.encode(img)
        t = torch.randint(0, self.T, (len(z),), device=z.device)
        noise = torch.randn_like(z)
        a = self.abar[t].view(-1, 1, 1, 1)
        return nn.functional.mse_loss(self.unet(a.sqrt() * z + (1 - a).sqrt() * noise, t, txt), noise)

    def sample(self, txt, steps=50):
        z = torch.randn(len(txt), 4, 32, 32, device=txt.device)
        ts = torch.linspace(self.T - 1, 0, steps, device=txt.device).long()
        for k in trange(steps, leave=False):
            t = ts[k].expand(len(txt))
            eps = self.unet(z, t, txt)
            a = self.abar[ts[k]]
            prev = self.abar[ts[k + 1]] if k + 1 < steps else torch.ones_like(a)
            z0 = (z - (1 - a).sqrt() * eps) / a.sqrt()
            z = prev.sqrt() * z0 + (1 - prev).sqrt() * eps
        return self.ae.decode(z).clamp(-1, 1)


def main():
    model = LatentDiffusion().cuda()
    opt = torch.optim.AdamW(model.unet.parameters(), 1e-4)
    ema = EMA(model.unet, 0.9999)
    for step, (img, txt) in enumerate(shards("laion-tiny", 16)):
        loss = model(img.cuda(), txt.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update()
        if step % 1000 == 0:
            grid = model.sample(txt[:16].cuda())
            torch.save(grid.detach().cpu(), f"preview/{step}.pt")


if __name__ == "__main__":
    main()
