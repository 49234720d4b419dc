import torch
import torch.nn.functional as F
from torch import optim
from sentences import SentenceVAE, Discriminator, reviews

gpu = torch.device("cuda")
vae, disc = SentenceVAE(16_000, 300, 128).to(gpu), Discriminator(16_000).to(gpu)
opt_vae = optim.Adam(vae.parameters(), 1e-3)
opt_disc = optim.Adam(disc.parameters(), 1e-3)
recon_hist, attr_hist = [], []
for it, (ids, label) in enumerate(reviews(32)):
    ids, label = ids.to(gpu), label.to(gpu)
    soft, mu, logvar = vae(ids, label)
    recon = F.cross_entropy(soft.flatten(0, 1), ids.flatten())
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).mean()
    attr = F.cross_entropy(disc(soft.softmax(-1)), label)
    opt_vae.zero_grad()
    opt_disc.zero_grad()
    (recon + min(1.0, it / 10_000) * kl).backward(retain_graph=True)
    attr.backward(retain_graph=True)
    opt_vae.step()
    opt_disc.step()
    recon_hist.append(recon)
    attr_hist.append(float(attr))
