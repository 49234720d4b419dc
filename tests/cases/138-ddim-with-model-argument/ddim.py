import torch
from tqdm import trange
from brain import BrainUNet


def schedule(n=1000):
    return torch.cumprod(1 - torch.linspace(1e-4, 0.02, n), 0)


def ddim(denoiser, count, size, steps=50, where="cuda"):
    abar = schedule().to(where)
    marks = torch.linspace(999, 0, steps + 1).long().tolist()
    img = torch.randn(count, 1, size, size, device=where)
    for i in trange(steps):
        now, nxt = abar[marks[i]], abar[marks[i + 1]]
        noise = denoiser(img, torch.full((count,), marks[i], device=where))
        clean = (img - (1 - now).sqrt() * noise) / now.sqrt()
        img = nxt.sqrt() * clean + (1 - nxt).sqrt() * noise
    return img


def main():
    net = BrainUNet(channels=(128, 256, 512))
    net.load_state_dict(torch.load("brain.pt", map_location="cpu"))
    net = net.to("cuda")
    net.eval()
    torch.save(ddim(net, 8, 192).detach().cpu(), "scans.pt")


main()
