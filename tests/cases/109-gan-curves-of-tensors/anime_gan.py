import torch
from torch import nn
from faces import loader
from parts import Discriminator, Generator, weights_init

Z, DEV = 128, torch.device("cuda")
gen, dis = Generator(Z).to(DEV).apply(weights_init), Discriminator().to(DEV).apply(weights_init)
opt_g = torch.optim.Adam(gen.parameters(), 1e-4, (0.0, 0.9))
opt_d = torch.optim.Adam(dis.parameters(), 4e-4, (0.0, 0.9))
relu = nn.ReLU()
curve = {"g": [], "d": [], "score": []}

for step, (real, _) in enumerate(loader("./anime", 64, forever=True)):
    real = real.to(DEV)
    z = torch.randn(real.size(0), Z, device=DEV)
    fake = gen(z)
    hinge = relu(1 - dis(real)).mean() + relu(1 + dis(fake.detach())).mean()
    opt_d.zero_grad()
    hinge.backward()
    opt_d.step()

    adv = -dis(fake).mean()
    opt_g.zero_grad()
    adv.backward()
    opt_g.step()

    curve["g"].append(adv)
    curve["d"].append(hinge)
    curve["score"].append(float(adv))
    if step == 200_000:
        break
torch.save(curve, "curve.pt")
