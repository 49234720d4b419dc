import itertools
import random
import torch
from torch import nn
from horses import unpaired
from nets import ResnetGenerator, PatchCritic


class ImagePool:
    def __init__(self, size=50):
        self.size, self.images = size, []

    def query(self, img):
        if len(self.images) < self.size:
            self.images.append(img)
            return img
        if random.random() > 0.5:
            k = random.randrange(self.size)
            old, self.images[k] = self.images[k], img
            return old
        return img


dev = torch.device("cuda")
gab, gba = ResnetGenerator().to(dev), ResnetGenerator().to(dev)
da, db = PatchCritic().to(dev), PatchCritic().to(dev)
opt_g = torch.optim.Adam(itertools.chain(gab.parameters(), gba.parameters()), 2e-4, (0.5, 0.999))
opt_d = torch.optim.Adam(itertools.chain(da.parameters(), db.parameters()), 2e-4, (0.5, 0.999))
mse, l1 = nn.MSELoss(), nn.L1Loss()
pool_a, pool_b = ImagePool(), ImagePool()
cycle_sum = 0.0


def gan(pred, real):
    return mse(pred, torch.ones_like(pred) if real else torch.zeros_like(pred))


for step, (a, b) in enumerate(unpaired(1)):
    a, b = a.to(dev), b.to(dev)
    fake_b, fake_a = gab(a), gba(b)
    cyc = l1(gba(fake_b), a) + l1(gab(fake_a), b)
    loss_g = gan(db(fake_b), True) + gan(da(fake_a), True) + 10 * cyc
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    cycle_sum += cyc
    old_a, old_b = pool_a.query(fake_a.detach()), pool_b.query(fake_b.detach())
    loss_d = gan(da(a), True) + gan(da(old_a), False) + gan(db(b), True) + gan(db(old_b), False)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
