import torch
import torch.nn.functional as F
from faces import Faces
from nets import Mapping, Synthesis, Critic

dev = torch.device("cuda")
mapping, synth, critic = Mapping(512).to(dev), Synthesis(512, 256).to(dev), Critic(256).to(dev)
opt_g = torch.optim.Adam([*mapping.parameters(), *synth.parameters()], 2e-3, betas=(0, 0.99))
opt_d = torch.optim.Adam(critic.parameters(), 2e-3, betas=(0, 0.99))
loader = torch.utils.data.DataLoader(Faces("/data/faces"), 16, shuffle=True, num_workers=8, drop_last=True)


def r1(real, scores):
    grad, = torch.autograd.grad(scores.sum(), real, create_graph=True)
    return grad.pow(2).flatten(1).sum(1).mean()


step = 0
for epoch in range(500):
    for real in loader:
        real = real.to(dev).requires_grad_(step % 16 == 0)
        z = torch.randn(len(real), 512, device=dev)
        fake = synth(mapping(z))
        on_real = critic(real)
        d_loss = F.softplus(critic(fake.detach())).mean() + F.softplus(-on_real).mean()
        opt_d.zero_grad()
        if step % 16 == 0:
            d_loss.backward(retain_graph=True)
            (16 * 5 * r1(real, on_real)).backward()
        else:
            d_loss.backward()
        opt_d.step()
        g_loss = F.softplus(-critic(fake)).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
        if step % 200 == 0:
            print(step, d_loss.item(), g_loss.item())
        step += 1
