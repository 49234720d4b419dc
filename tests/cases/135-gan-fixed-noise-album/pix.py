import torch
from torch.optim import Adam
from maps import map_pairs
from unet import PatchCritic, UNetGenerator

dev = torch.device("cuda:0")
G, D = UNetGenerator(3, 3).to(dev), PatchCritic(6).to(dev)
og, od = Adam(G.parameters(), 2e-4, (0.5, 0.999)), Adam(D.parameters(), 2e-4, (0.5, 0.999))
mse, l1 = torch.nn.MSELoss(), torch.nn.L1Loss()
look = next(iter(map_pairs("val", 16)))[0].to(dev)
album = []

for it, (src, dst) in enumerate(map_pairs("train", 4)):
    src, dst = src.to(dev), dst.to(dev)
    out = G(src)
    real, fake = D(torch.cat([src, dst], 1)), D(torch.cat([src, out.detach()], 1))
    d_loss = mse(real, torch.ones_like(real)) + mse(fake, torch.zeros_like(fake))
    od.zero_grad()
    d_loss.backward()
    od.step()
    judged = D(torch.cat([src, out], 1))
    g_loss = mse(judged, torch.ones_like(judged)) + 100 * l1(out, dst)
    og.zero_grad()
    g_loss.backward()
    og.step()
    if it % 500 == 0:
        G.eval()
        album.append(G(look))
        G.train()
        print(it, d_loss.item(), g_loss.item())
