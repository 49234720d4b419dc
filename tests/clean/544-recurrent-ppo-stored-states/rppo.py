import gymnasium as gym
import torch
from torch import nn
from memory_nets import LSTMPolicy

device = torch.device("cuda")
envs = gym.make_vec("MiniGrid-Memory-v0", num_envs=32)
policy = LSTMPolicy(147, 7, 256).to(device)
opt = torch.optim.Adam(policy.parameters(), 2.5e-4, eps=1e-5)
obs = torch.as_tensor(envs.reset()[0], device=device).float()
state = policy.initial(32, device)
stats = {"pi": 0.0, "v": 0.0, "n": 0}
for update in range(10_000):
    start = tuple(s.clone() for s in state)
    store = {k: [] for k in ("obs", "act", "logp", "val", "rew", "done")}
    for _ in range(64):
        with torch.no_grad():
            dist, val, state = policy(obs, state)
            act = dist.sample()
            logp = dist.log_prob(act)
        nxt, rew, term, trunc, _ = envs.step(act.cpu().numpy())
        for k, v in zip(store, (obs, act, logp, val, torch.as_tensor(rew, device=device), torch.as_tensor(term, device=device))):
            store[k].append(v)
        obs = torch.as_tensor(nxt, device=device).float()
    roll = {k: torch.stack(v) for k, v in store.items()}
    ret = policy.returns(roll["rew"], roll["val"], roll["done"], 0.99, 0.95)
    adv = ret - roll["val"]
    for _ in range(4):
        dist, val = policy.replay(roll["obs"], start, roll["done"])
        ratio = (dist.log_prob(roll["act"]) - roll["logp"]).exp()
        pi = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        v = 0.5 * (val - ret).pow(2).mean()
        loss = pi + v - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        opt.step()
        stats["pi"] += pi.item()
        stats["v"] += v.item()
        stats["n"] += 1
    print(update, stats["pi"] / stats["n"], stats["v"] / stats["n"])
