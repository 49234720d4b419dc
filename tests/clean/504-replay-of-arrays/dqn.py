import random
from collections import deque
import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from qnet import QNet

env = gym.make("CartPole-v1")
device = "cuda"
q, target = QNet(4, 2).to(device), QNet(4, 2).to(device)
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), 2.5e-4)
memory = deque(maxlen=1_000_000)
td_log = []
obs, _ = env.reset()
for step in range(500_000):
    if random.random() < max(0.05, 1 - step / 10_000):
        act = env.action_space.sample()
    else:
        act = q(torch.tensor(obs, device=device)).argmax().item()
    nxt, rew, done, _, _ = env.step(act)
    memory.append((obs, act, rew, nxt, done))
    obs = env.reset()[0] if done else nxt
    if step < 10_000 or step % 10:
        continue
    s, a, r, s2, d = (torch.as_tensor(np.array(v), device=device) for v in zip(*random.sample(memory, 128)))
    with torch.no_grad():
        y = r.float() + 0.99 * target(s2).max(1).values * (1 - d.float())
    pred = q(s).gather(1, a[:, None]).squeeze(1)
    loss = F.mse_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    td_log.append(loss.item())
    if step % 500 == 0:
        target.load_state_dict(q.state_dict())
