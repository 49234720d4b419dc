import sys

import torch
from hvae import HierarchicalVAE
from fid import frechet

net = HierarchicalVAE.from_checkpoint(sys.argv[1]).to("cuda").eval()
pool = []
for _ in range(100):
    z = torch.randn(100, net.latent_dim, device="cuda")
    pics = net.decode(z)
    pool.append(pics.clamp(0, 1).cpu())
print(frechet(torch.cat(pool).detach().numpy(), "stats.npz"))
