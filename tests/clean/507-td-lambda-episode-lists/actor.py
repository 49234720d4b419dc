import gymnasium as gym
import torch
from torch.distributions import Categorical
from nets import ActorCritic

env = gym.make("Acrobot-v1")
net = ActorCritic(env.observation_space.shape[0], env.action_space.n).to("cuda")
opt = torch.optim.Adam(net.parameters(), 3e-3)
score = 0.0
for episode in range(5000):
    obs, _ = env.reset()
    logps, values, rewards, done = [], [], [], False
    while not done:
        logits, v = net(torch.from_numpy(obs).to("cuda"))
        dist = Categorical(logits=logits)
        a = dist.sample()
        logps.append(dist.log_prob(a))
        values.append(v.squeeze())
        obs, r, term, trunc, _ = env.step(a.item())
        rewards.append(r)
        done = term or trunc
    g, rets = 0.0, []
    for r in rewards[::-1]:
        g = r + 0.99 * g
        rets.append(g)
    rets = torch.tensor(rets[::-1], device="cuda")
    rets = (rets - rets.mean()) / (rets.std() + 1e-8)
    pi_loss, v_loss = 0, 0
    for lp, v, ret in zip(logps, values, rets):
        pi_loss = pi_loss - lp * (ret - v.item())
        v_loss = v_loss + (v - ret).pow(2)
    opt.zero_grad()
    (pi_loss + 0.5 * v_loss).backward()
    opt.step()
    score = 0.95 * score + 0.05 * sum(rewards)
    if episode % 50 == 0:
        print(episode, score)
