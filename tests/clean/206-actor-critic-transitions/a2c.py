import torch
import torch.nn.functional as F
from gridworld import GridEnv
from net import ActorCritic

device = torch.device("cuda")


class Rollout:
    def __init__(self):
        self.logp, self.value, self.reward, self.entropy = [], [], [], []

    def store(self, logp, value, reward, entropy):
        self.logp.append(logp)
        self.value.append(value)
        self.reward.append(reward)
        self.entropy.append(entropy)


net, env = ActorCritic(64, 5).to(device), GridEnv(16)
opt = torch.optim.RMSprop(net.parameters(), 7e-4)
obs = env.reset()
for update in range(100_000):
    buf = Rollout()
    for _ in range(5):
        pi, v = net(torch.as_tensor(obs, device=device).float())
        a = pi.sample()
        obs, r, done = env.step(a.tolist())
        buf.store(pi.log_prob(a), v, torch.as_tensor(r, device=device), pi.entropy())
    with torch.no_grad():
        ret = net(torch.as_tensor(obs, device=device).float())[1]
    policy_loss, value_loss = 0, 0
    for lp, v, r, h in zip(reversed(buf.logp), reversed(buf.value), reversed(buf.reward), reversed(buf.entropy)):
        ret = r + 0.99 * ret
        adv = ret - v
        policy_loss = policy_loss - (lp * adv.detach() + 0.01 * h).mean()
        value_loss = value_loss + F.mse_loss(v, ret)
    opt.zero_grad()
    (policy_loss + 0.5 * value_loss).backward()
    opt.step()
