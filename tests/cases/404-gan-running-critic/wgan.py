import torch
from torch import autograd, optim
from nets import Critic, Generator
from art import paintings


class WGAN:
    def __init__(self, latent=128, lr=1e-4, n_critic=5):
        self.dev = torch.device("cuda", 0)
        self.G, self.D = Generator(latent).to(self.dev), Critic().to(self.dev)
        self.opt_g = optim.Adam(self.G.parameters(), lr, betas=(0.0, 0.9))
        self.opt_d = optim.Adam(self.D.parameters(), lr, betas=(0.0, 0.9))
        self.latent, self.n_critic = latent, n_critic
        self.w_dist, self.g_curve = 0, []

    def penalty(self, real, fake):
        eps = torch.rand(real.size(0), 1, 1, 1, device=self.dev)
        mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
        grad, = autograd.grad(self.D(mix).sum(), mix, create_graph=True)
        return ((grad.flatten(1).norm(2, 1) - 1) ** 2).mean()

    def noise(self, n):
        return torch.randn(n, self.latent, device=self.dev)

    def critic_step(self, real):
        fake = self.G(self.noise(len(real))).detach()
        gap = self.D(fake).mean() - self.D(real).mean()
        loss = gap + 10 * self.penalty(real, fake)
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return -gap

    def generator_step(self, n):
        loss = -self.D(self.G(self.noise(n))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss

    def fit(self, epochs):
        for ep in range(epochs):
            self.w_dist = 0
            for i, real in enumerate(paintings(64)):
                self.w_dist += self.critic_step(real.to(self.dev))
                if i % self.n_critic == 0:
                    self.g_curve.append(self.generator_step(len(real)))
            print(ep, self.w_dist / (i + 1))


WGAN().fit(100)
