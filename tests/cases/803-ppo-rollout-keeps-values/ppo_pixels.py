import numpy as np
import torch
from torch import nn, optim
from torch.distributions import Categorical
from envs import make_vec


class ActorCritic(nn.Module):
    def __init__(self, n_actions):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(),
            nn.Conv2d(64, 64, 3, 1), nn.ReLU(), nn.Flatten(), nn.Linear(3136, 512), nn.ReLU())
        self.pi, self.v = nn.Linear(512, n_actions), nn.Linear(512, 1)

    def forward(self, obs):
        h = self.body(obs / 255.0)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def gae(rewards, values, dones, last, gamma=0.99, lam=0.95):
    adv, run = torch.zeros_like(rewards), 0.0
    for t in reversed(range(len(rewards))):
        nxt = last if t == len(rewards) - 1 else values[t + 1]
        delta = rewards[t] + gamma * nxt * (1 - dones[t]) - values[t]
        run = delta + gamma * lam * (1 - dones[t]) * run
        adv[t] = run
    return adv


def main(total=10_000_000, horizon=2048, n_envs=8, device="cuda"):
    env = make_vec("Breakout", n_envs)
    agent = ActorCritic(env.n_actions).to(device)
    opt = optim.Adam(agent.parameters(), 2.5e-4, eps=1e-5)
    obs = torch.as_tensor(env.reset(), device=device).float()
    for update in range(total // (horizon * n_envs)):
        observations, actions, logps, values, rewards, dones = [], [], [], [], [], []
        for _ in range(horizon):
            dist, value = agent(obs)
            act = dist.sample()
            observations.append(obs.cpu())
            actions.append(act)
            logps.append(dist.log_prob(act))
            values.append(value)
            nxt, rew, done, _ = env.step(act.cpu().numpy())
            rewards.append(torch.as_tensor(rew, device=device))
            dones.append(torch.as_tensor(done, device=device).float())
            obs = torch.as_tensor(nxt, device=device).float()
        with torch.no_grad():
            last = agent(obs)[1]
            adv = gae(torch.stack(rewards), torch.stack(values), torch.stack(dones), last)
            old_logp = torch.stack(logps).flatten()
            returns = (adv + torch.stack(values)).flatten()
        flat_obs, flat_act, flat_adv = torch.cat(observations), torch.cat(actions), adv.flatten()
        for _ in range(4):
            for idx in torch.randperm(len(flat_obs)).split(1024):
                dist, value = agent(flat_obs[idx].to(device))
                ratio = (dist.log_prob(flat_act[idx]) - old_logp[idx]).exp()
                a = flat_adv[idx]
                pg = -torch.min(ratio * a, ratio.clamp(0.9, 1.1) * a).mean()
                loss = pg + 0.5 * (returns[idx] - value).pow(2).mean() - 0.01 * dist.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        print(update, loss.item(), np.mean([r.mean().item() for r in rewards]))


if __name__ == "__main__":
    main()
