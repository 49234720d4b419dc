import gymnasium as gym
import torch
from torch import nn
from torch.distributions import Normal

device = torch.device("cuda")
envs = gym.make_vec("HalfCheetah-v4", num_envs=16)


class ActorCritic(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(o, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh(), nn.Linear(512, a))
        self.v = nn.Sequential(nn.Linear(o, 512), nn.Tanh(), nn.Linear(512, 1))
        self.log_std = nn.Parameter(torch.zeros(a))

    def forward(self, o):
        return Normal(self.mu(o), self.log_std.exp()), self.v(o).squeeze(-1)


ac = ActorCritic(17, 6).to(device)
opt = torch.optim.Adam(ac.parameters(), 3e-4)
obs = torch.as_tensor(envs.reset()[0], dtype=torch.float32, device=device)

for update in range(500):
    states, acts, logps, vals, rews = [], [], [], [], []
    for _ in range(2048):
        dist, val = ac(obs)
        act = dist.sample()
        states.append(obs)
        acts.append(act)
        logps.append(dist.log_prob(act).sum(-1))
        vals.append(val)
        nxt, rew, *_ = envs.step(act.cpu().numpy())
        rews.append(torch.as_tensor(rew, dtype=torch.float32, device=device))
        obs = torch.as_tensor(nxt, dtype=torch.float32, device=device)
    old_logp, old_v = torch.stack(logps).detach(), torch.stack(vals).detach()
    ret = torch.stack(rews).flip(0).cumsum(0).flip(0)
    s, a, adv = torch.stack(states), torch.stack(acts), ret - old_v
    for _ in range(10):
        dist, val = ac(s)
        ratio = (dist.log_prob(a).sum(-1) - old_logp).exp()
        clipped = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
        loss = -clipped.mean() + 0.5 * (val - ret).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
