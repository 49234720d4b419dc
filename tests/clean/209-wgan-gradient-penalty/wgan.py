import torch
from torch import autograd, optim
from bedrooms import endless
from resgan import Critic, Gen

dev = torch.device("cuda")
G, C = Gen(128).to(dev), Critic().to(dev)
og, oc = optim.Adam(G.parameters(), 1e-4, (0, 0.9)), optim.Adam(C.parameters(), 1e-4, (0, 0.9))


def penalty(real, fake):
    t = torch.rand(real.size(0), 1, 1, 1, device=dev)
    mix = (t * real + (1 - t) * fake).requires_grad_(True)
    score = C(mix)
    g = autograd.grad(score, mix, torch.ones_like(score), create_graph=True, retain_graph=True)[0]
    return ((g.flatten(1).norm(2, dim=1) - 1) ** 2).mean()


wd, gl = [], []
data = endless(64)
for it in range(100_000):
    for _ in range(5):
        real = next(data).to(dev)
        with torch.no_grad():
            fake = G(torch.randn(64, 128, device=dev))
        c_real, c_fake = C(real).mean(), C(fake).mean()
        loss_c = c_fake - c_real + 10 * penalty(real, fake)
        oc.zero_grad()
        loss_c.backward()
        oc.step()
    wd.append((c_real - c_fake).item())
    loss_g = -C(G(torch.randn(64, 128, device=dev))).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
    gl.append(loss_g.detach().cpu().numpy())
