import torch
from torch import nn
from torch.distributions import Categorical
import gymnasium as gym


class Policy(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 128), nn.ReLU(), nn.Linear(128, n_out))
        self.logps, self.rewards = [], []

    def act(self, obs):
        dist = Categorical(logits=self.net(obs))
        action = dist.sample()
        self.logps.append(dist.log_prob(action))
        return action.item()


env = gym.make("LunarLander-v3")
policy = Policy(8, 4).cuda()
opt = torch.optim.Adam(policy.parameters(), 1e-3)
history = []
for episode in range(5000):
    obs, _ = env.reset()
    over = False
    while not over:
        action = policy.act(torch.as_tensor(obs, device="cuda"))
        obs, reward, done, cut, _ = env.step(action)
        policy.rewards.append(reward)
        over = done or cut
    returns, g = [], 0.0
    for r in reversed(policy.rewards):
        g = r + 0.99 * g
        returns.insert(0, g)
    returns = torch.tensor(returns, device="cuda")
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = -(torch.stack(policy.logps) * returns).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(sum(policy.rewards))
    policy.logps.clear()
    policy.rewards.clear()
