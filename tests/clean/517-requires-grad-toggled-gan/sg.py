import copy
import torch
import torch.nn.functional as F
from nets import StyleG, StyleD
from faces import infinite

dev = "cuda"
G, D = StyleG(512).to(dev), StyleD().to(dev)
G_ema = copy.deepcopy(G).eval().requires_grad_(False)
og, od = (torch.optim.Adam(m.parameters(), 2e-3, (0.0, 0.99)) for m in (G, D))
fixed = torch.randn(16, 512, device=dev)


def toggle(net, on):
    for p in net.parameters():
        p.requires_grad = on


real = infinite("ffhq128", 16)
logs = {"d": 0.0, "g": 0.0, "r1": 0.0}
for it in range(100_000):
    toggle(G, False)
    toggle(D, True)
    x = next(real).to(dev).requires_grad_(it % 16 == 0)
    fake = G(torch.randn(16, 512, device=dev))
    d_loss = F.softplus(D(fake)).mean()
    score = D(x)
    d_loss = d_loss + F.softplus(-score).mean()
    if it % 16 == 0:
        r1, = torch.autograd.grad(score.sum(), x, create_graph=True)
        r1 = r1.square().sum((1, 2, 3)).mean()
        d_loss += 80 * r1
        logs["r1"] = 0.9 * logs["r1"] + 0.1 * r1.item()
    od.zero_grad()
    d_loss.backward()
    od.step()
    toggle(G, True)
    toggle(D, False)
    g_loss = F.softplus(-D(G(torch.randn(16, 512, device=dev)))).mean()
    og.zero_grad()
    g_loss.backward()
    og.step()
    with torch.no_grad():
        for a, b in zip(G_ema.parameters(), G.parameters()):
            a.lerp_(b, 0.002)
    logs["d"] += d_loss.item()
    logs["g"] += g_loss.item()
    if it % 2000 == 0:
        sheet = []
        for z in fixed.split(4):
            sheet.append(G_ema(z).clamp(-1, 1))
        torch.save(torch.cat(sheet).cpu(), f"{it}.pt")
