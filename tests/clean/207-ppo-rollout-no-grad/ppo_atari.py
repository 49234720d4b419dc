import torch
from torch import nn, optim
from envs import vector_env
from agent import Agent

device = torch.device("cuda")
N, T = 8, 128
envs = vector_env("BreakoutNoFrameskip-v4", N)
agent = Agent(envs.single_action_space.n).to(device)
opt = optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
obs = torch.zeros((T, N, 4, 84, 84), device=device)
acts, logps, rews, dones, vals = (torch.zeros((T, N), device=device) for _ in range(5))
nobs, ndone = torch.tensor(envs.reset(), device=device), torch.zeros(N, device=device)

for update in range(9765):
    for t in range(T):
        obs[t], dones[t] = nobs, ndone
        with torch.no_grad():
            a, lp, _, v = agent.act(nobs)
            vals[t] = v.flatten()
        acts[t], logps[t] = a, lp
        nxt, r, d = envs.step(a.cpu().numpy())
        rews[t] = torch.tensor(r, device=device).view(-1)
        nobs, ndone = torch.tensor(nxt, device=device), torch.tensor(d, device=device).float()
    adv = agent.gae(rews, vals, dones, nobs, ndone)
    fracs = []
    for idx in torch.randperm(T * N, device=device).split(256):
        _, lp, ent, v = agent.act(obs.flatten(0, 1)[idx], acts.flatten()[idx])
        ratio = (lp - logps.flatten()[idx]).exp()
        with torch.no_grad():
            fracs += [((ratio - 1).abs() > 0.1).float().mean().item()]
        a = adv.flatten()[idx]
        loss = torch.max(-a * ratio, -a * ratio.clamp(0.9, 1.1)).mean() - 0.01 * ent.mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        opt.step()
