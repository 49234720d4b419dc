import math
import random
from collections import deque

import gymnasium as gym
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
env = gym.make("LunarLander-v3")
q = nn.Sequential(nn.Linear(8, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 4)).to(device)
q_slow = nn.Sequential(nn.Linear(8, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 4)).to(device)
q_slow.load_state_dict(q.state_dict())
opt = torch.optim.AdamW(q.parameters(), lr=1e-4, amsgrad=True)
memory, durations, losses, n = deque(maxlen=100_000), [], deque(maxlen=1000), 0


def act(s):
    if random.random() < 0.05 + 0.85 * math.exp(-n / 1000):
        return env.action_space.sample()
    with torch.no_grad():
        return q(s.to(device)).argmax(1).item()


def optimize():
    s, a, r, s2, d = (torch.cat(f).to(device) for f in zip(*random.sample(memory, 128)))
    with torch.no_grad():
        goal = r + 0.99 * q_slow(s2).amax(1) * (1 - d)
    loss = nn.functional.smooth_l1_loss(q(s).gather(1, a[:, None])[:, 0], goal)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(q.parameters(), 100)
    opt.step()
    return loss


for ep in range(600):
    s, t, done = torch.tensor(env.reset()[0])[None], 0, False
    while not done:
        a = act(s)
        o, r, term, trunc, _ = env.step(a)
        s2 = torch.tensor(o)[None]
        memory.append((s, torch.tensor([a]), torch.tensor([r]).float(), s2, torch.tensor([float(term)])))
        s, done, t, n = s2, term or trunc, t + 1, n + 1
        if len(memory) > 128:
            losses.append(optimize().item())
        for slow, fast in zip(q_slow.parameters(), q.parameters()):
            slow.data.lerp_(fast.data, 0.005)
    durations.append(t)
