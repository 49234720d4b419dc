import torch
from torch import nn
from video import TemporalUNet, clips, write_video


@torch.no_grad()
def schedule(T, device):
    beta = torch.linspace(1e-4, 0.02, T, device=device)
    return beta, torch.cumprod(1 - beta, 0)


class Video(nn.Module):
    def __init__(self, T=400):
        super().__init__()
        self.unet = TemporalUNet(3, 128)
        self.T = T

    def p_sample(self, x, t, prev, beta, abar):
        ts = torch.full((x.size(0),), t, device=x.device)
        eps = self.unet(x, ts, prev)
        mean = (x - beta[t] / (1 - abar[t]).sqrt() * eps) / (1 - beta[t]).sqrt()
        return mean if t == 0 else mean + beta[t].sqrt() * torch.randn_like(x)

    def clip(self, first, n):
        beta, abar = schedule(self.T, first.device)
        frames = [first]
        for _ in range(n):
            x = torch.randn_like(first)
            for t in reversed(range(self.T)):
                x = self.p_sample(x, t, frames[-1], beta, abar)
            frames.append(x)
        return torch.stack(frames, 1)


def train(model, loader, dev="cuda"):
    opt = torch.optim.AdamW(model.parameters(), 1e-4)
    beta, abar = schedule(model.T, dev)
    for prev, cur in loader:
        prev, cur = prev.to(dev), cur.to(dev)
        t = torch.randint(0, model.T, (len(cur),), device=dev)
        eps = torch.randn_like(cur)
        a = abar[t].view(-1, 1, 1, 1)
        loss = (model.unet(a.sqrt() * cur + (1 - a).sqrt() * eps, t, prev) - eps).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    model = Video().cuda()
    train(model, clips("kinetics-tiny", 16))
    model.eval()
    for i, (first, _) in enumerate(clips("val", 1)):
        write_video(f"{i}.mp4", model.clip(first.cuda(), 24).detach().cpu())
