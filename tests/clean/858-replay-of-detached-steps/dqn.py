import random
from collections import deque
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from arcade import make_env

dev = torch.device("cuda")
env = make_env("Pong", frames=4)
net = nn.Sequential(nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 20 * 20, env.n)).to(dev)
target = nn.Sequential(nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 20 * 20, env.n)).to(dev)
opt = torch.optim.Adam(net.parameters(), 1e-4)
buffer, returns = deque(maxlen=100_000), []
obs, ret = env.reset(), 0.0
for step in range(5_000_000):
    with torch.no_grad():
        q = net(torch.from_numpy(obs).float().to(dev)[None] / 255)
    act = random.randrange(env.n) if random.random() < 0.05 else q.argmax().item()
    nxt, rew, done = env.step(act)
    buffer.append((obs, act, rew, nxt, done))
    ret += rew
    obs = env.reset() if done else nxt
    if done:
        returns.append(ret)
        ret = 0.0
    if len(buffer) > 10_000 and step % 4 == 0:
        o, a, r, n, d = (torch.as_tensor(np.stack(v)).to(dev) for v in zip(*random.sample(buffer, 32)))
        with torch.no_grad():
            y = r.float() + 0.99 * (~d).float() * target(n.float() / 255).max(1).values
        loss = F.smooth_l1_loss(net(o.float() / 255).gather(1, a[:, None]).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if step % 10_000 == 0:
        target.load_state_dict(net.state_dict())
