import torch
import torch.nn as nn
from cities import RandomCities, tour_length
from pointer import PointerNet, Critic


class Trainer:
    def __init__(self, n=50, batch=512, beta=0.8, device="cuda"):
        self.n, self.batch, self.beta, self.device = n, batch, beta, device
        self.actor, self.critic = PointerNet(128).to(device), Critic(128).to(device)
        self.opt_a = torch.optim.Adam(self.actor.parameters(), 1e-4)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), 1e-4)
        self.baseline = None
        self.lengths = []

    def step(self, cities):
        tours, logp = self.actor(cities)
        reward = tour_length(cities, tours)
        value = self.critic(cities).mean()
        if self.baseline is None:
            self.baseline = value
        else:
            self.baseline = self.beta * self.baseline + (1 - self.beta) * value
        advantage = (reward - self.baseline).detach()
        actor_loss = (advantage * logp.sum(1)).mean()
        self.opt_a.zero_grad()
        actor_loss.backward()
        nn.utils.clip_grad_norm_(self.actor.parameters(), 2.0)
        self.opt_a.step()
        critic_loss = (self.critic(cities) - reward.detach()).pow(2).mean()
        self.opt_c.zero_grad()
        critic_loss.backward()
        self.opt_c.step()
        self.lengths.append(reward.mean().item())

    def fit(self, epochs=100):
        for epoch in range(epochs):
            self.lengths.clear()
            for cities in RandomCities(self.n, self.batch, steps=2500):
                self.step(cities.to(self.device))
            print(epoch, sum(self.lengths) / len(self.lengths), float(self.baseline))


if __name__ == "__main__":
    Trainer().fit()
