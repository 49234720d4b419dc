import os
import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision.utils import save_image
from facade_data import Pairs
from unet import Generator, PatchCritic

dev = torch.device("cuda:0")
gen, critic = Generator(64).to(dev), PatchCritic(64).to(dev)
opt_g = optim.Adam(gen.parameters(), 2e-4, betas=(0.5, 0.999))
opt_d = optim.Adam(critic.parameters(), 2e-4, betas=(0.5, 0.999))
bce, l1 = nn.BCEWithLogitsLoss(), nn.L1Loss()
loader = DataLoader(Pairs("/data/facades", size=512), 4, shuffle=True, num_workers=4)
os.makedirs("samples", exist_ok=True)


def real(t):
    return bce(t, torch.ones_like(t))


def fake(t):
    return bce(t, torch.zeros_like(t))


g_curve, d_curve = [], []
for epoch in range(200):
    for i, (a, b) in enumerate(loader):
        a, b = a.to(dev), b.to(dev)
        out = gen(a)
        d_loss = 0.5 * (real(critic(torch.cat([a, b], 1))) + fake(critic(torch.cat([a, out.detach()], 1))))
        opt_d.zero_grad()
        d_loss.backward(retain_graph=True)
        opt_d.step()
        g_loss = real(critic(torch.cat([a, out], 1))) + 100 * l1(out, b)
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
        g_curve.append(g_loss.item())
        d_curve.append(d_loss.item())
        if i % 400 == 0:
            save_image(torch.cat([a, out.detach(), b]) * 0.5 + 0.5, f"samples/{epoch}-{i}.png")
    print(epoch, g_curve[-1], d_curve[-1])
