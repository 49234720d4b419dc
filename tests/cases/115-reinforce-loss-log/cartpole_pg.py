import gymnasium as gym
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Agent:
    def __init__(self, obs, acts, device="cuda"):
        self.pi = nn.Sequential(nn.Linear(obs, 256), nn.Tanh(), nn.Linear(256, acts)).to(device)
        self.opt = torch.optim.Adam(self.pi.parameters(), 1e-3)
        self.device, self.gamma = device, 0.99
        self.logps, self.rewards, self.trace = [], [], []

    def act(self, s):
        d = Categorical(logits=self.pi(torch.as_tensor(s, device=self.device)))
        a = d.sample()
        self.logps.append(d.log_prob(a))
        return a.item()

    def learn(self):
        ret, returns = 0.0, []
        for r in reversed(self.rewards):
            ret = r + self.gamma * ret
            returns.insert(0, ret)
        returns = torch.tensor(returns, device=self.device)
        loss = -(torch.stack(self.logps) * (returns - returns.mean())).sum()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.trace.append(loss)
        self.logps.clear()
        self.rewards.clear()


env = gym.make("CartPole-v1")
agent = Agent(4, 2)
for episode in range(1_000_000):
    s, _ = env.reset()
    done = False
    while not done:
        s, r, term, trunc, _ = env.step(agent.act(s))
        agent.rewards.append(r)
        done = term or trunc
    agent.learn()
