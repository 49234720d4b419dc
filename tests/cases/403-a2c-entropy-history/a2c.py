import gymnasium as gym
import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.pi, self.v = nn.Linear(128, n_act), nn.Linear(128, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


device = torch.device("cuda")
envs = gym.make_vec("LunarLander-v2", num_envs=16)
agent = Agent(8, 4).to(device)
opt = torch.optim.RMSprop(agent.parameters(), 7e-4)
obs, _ = envs.reset()
entropies, value_losses, returns = [], [], []
for update in range(200_000):
    logps, vals, ents, rews = [], [], [], []
    for _ in range(5):
        dist, v = agent(torch.as_tensor(obs, device=device))
        act = dist.sample()
        obs, r, term, trunc, _ = envs.step(act.cpu().numpy())
        logps.append(dist.log_prob(act))
        vals.append(v)
        ents.append(dist.entropy())
        rews.append(torch.as_tensor(r, device=device, dtype=torch.float32))
    with torch.no_grad():
        ret = agent(torch.as_tensor(obs, device=device))[1]
    targets = []
    for r in reversed(rews):
        ret = r + 0.99 * ret
        targets.insert(0, ret)
    targets, vals = torch.stack(targets), torch.stack(vals)
    adv = (targets - vals).detach()
    v_loss = (targets - vals).pow(2).mean()
    ent = torch.stack(ents).mean()
    loss = -(torch.stack(logps) * adv).mean() + 0.5 * v_loss - 0.01 * ent
    opt.zero_grad()
    loss.backward()
    opt.step()
    entropies.append(ent)
    value_losses.append(v_loss)
    returns.append(targets.mean().item())
