import random
from collections import deque, namedtuple

import torch
import torch.nn.functional as F
from atari import NatureCNN, make_env

Step = namedtuple("Step", "obs act rew nxt end q")


class Memory:
    def __init__(self, size):
        self.ring = deque([], maxlen=size)

    def add(self, step):
        self.ring.append(step)

    def draw(self, n):
        return Step(*zip(*random.sample(self.ring, n)))

    def __len__(self):
        return len(self.ring)


dev = "cuda"
env = make_env("PongNoFrameskip-v4")
online, target = NatureCNN(6).to(dev), NatureCNN(6).to(dev)
target.load_state_dict(online.state_dict())
rms = torch.optim.RMSprop(online.parameters(), 2.5e-4)
memory, obs = Memory(100_000), env.reset()

for t in range(2_000_000):
    x = torch.from_numpy(obs).unsqueeze(0)
    q = online(x.to(dev))
    act = random.randrange(6) if random.random() < max(0.02, 1 - t / 1e5) else q.argmax(1).item()
    nxt, rew, end = env.step(act)
    memory.add(Step(x, act, rew, torch.from_numpy(nxt).unsqueeze(0), end, q))
    obs = env.reset() if end else nxt
    if len(memory) < 10_000 or t % 4:
        continue
    b = memory.draw(32)
    with torch.no_grad():
        best = target(torch.cat(b.nxt).to(dev)).max(1).values
        goal = torch.tensor(b.rew, device=dev) + 0.99 * best * (1 - torch.tensor(b.end, device=dev).float())
    now = online(torch.cat(b.obs).to(dev)).gather(1, torch.tensor(b.act, device=dev)[:, None])[:, 0]
    loss = F.smooth_l1_loss(now, goal)
    rms.zero_grad()
    loss.backward()
    rms.step()
    if t % 10_000 == 0:
        target.load_state_dict(online.state_dict())
