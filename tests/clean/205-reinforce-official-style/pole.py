from itertools import count

import gymnasium as gym
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

dev = "cuda"


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 128), nn.Linear(128, 2)
        self.kept, self.rewards = [], []

    def forward(self, x):
        return F.softmax(self.b(F.relu(self.a(x))), dim=1)


pi = Policy().to(dev)
adam = torch.optim.Adam(pi.parameters(), 1e-2)
env = gym.make("CartPole-v1")


def choose(state):
    m = Categorical(pi(torch.from_numpy(state).float().unsqueeze(0).to(dev)))
    action = m.sample()
    pi.kept.append(m.log_prob(action))
    return action.item()


def finish():
    R, goal, parts = 0, [], []
    for r in pi.rewards[::-1]:
        R = r + 0.99 * R
        goal.insert(0, R)
    goal = torch.tensor(goal, device=dev)
    goal = (goal - goal.mean()) / (goal.std() + 1e-8)
    for lp, g in zip(pi.kept, goal):
        parts.append(-lp * g)
    adam.zero_grad()
    torch.cat(parts).sum().backward()
    adam.step()
    del pi.rewards[:]
    del pi.kept[:]


running = 10
for ep in count(1):
    state, total = env.reset()[0], 0
    for _ in range(1, 10_000):
        state, reward, done, _, _ = env.step(choose(state))
        pi.rewards.append(reward)
        total += reward
        if done:
            break
    running = 0.05 * total + 0.95 * running
    finish()
    if running > 475:
        break
