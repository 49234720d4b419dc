import random
from collections import deque
import torch
from torch.utils._pytree import tree_map
from molgraph import Env, Policy


def host(tree):
    return tree_map(lambda t: t.detach().cpu() if isinstance(t, torch.Tensor) else t, tree)


def rollout(env, policy, dev):
    g, logps, states = env.reset(), [], []
    while not env.done(g):
        dist = policy(env.batch(g).to(dev))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        states.append(env.key(g))
        g = env.step(g, int(a))
    return torch.stack(logps), states, env.reward(g)


dev = torch.device("cuda")
env, policy = Env(9), Policy(128).to(dev)
log_z = torch.nn.Parameter(torch.zeros((), device=dev))
opt = torch.optim.Adam([{"params": policy.parameters()}, {"params": [log_z], "lr": 0.1}], 1e-3)
buffer = deque(maxlen=50_000)
for it in range(30_000):
    logps, states, r = rollout(env, policy, dev)
    loss = (log_z + logps.sum() - torch.tensor(r, device=dev).log()) ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    buffer.append(host((logps, states, r)))
    if it % 1000 == 0 and len(buffer) > 64:
        print(it, sum(float(b[2]) for b in random.sample(buffer, 64)) / 64)
