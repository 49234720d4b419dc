from collections import defaultdict
import copy
import torch
import torch.nn.functional as F
from control import Actor, Critic, make_env, Buffer


class SAC:
    def __init__(self, n_obs, n_act, device="cuda", gamma=0.99, tau=0.005):
        self.device, self.gamma, self.tau = torch.device(device), gamma, tau
        self.actor, self.q = Actor(n_obs, n_act).to(device), Critic(n_obs, n_act).to(device)
        self.q_target = copy.deepcopy(self.q).requires_grad_(False)
        self.log_alpha = torch.zeros(1, device=device, requires_grad=True)
        self.opts = {
            "actor": torch.optim.Adam(self.actor.parameters(), 3e-4),
            "q": torch.optim.Adam(self.q.parameters(), 3e-4),
            "alpha": torch.optim.Adam([self.log_alpha], 3e-4),
        }

    def _apply(self, name, loss):
        self.opts[name].zero_grad()
        loss.backward()
        self.opts[name].step()

    def update(self, batch):
        s, a, r, s2, d = (t.to(self.device) for t in batch)
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            a2, lp2 = self.actor.sample(s2)
            target = r + self.gamma * (1 - d) * (torch.min(*self.q_target(s2, a2)) - alpha * lp2)
        q1, q2 = self.q(s, a)
        q_loss = F.mse_loss(q1, target) + F.mse_loss(q2, target)
        self._apply("q", q_loss)
        act, lp = self.actor.sample(s)
        pi_loss = (alpha * lp - torch.min(*self.q(s, act))).mean()
        self._apply("actor", pi_loss)
        alpha_loss = -(self.log_alpha * (lp.detach() - 6.0)).mean()
        self._apply("alpha", alpha_loss)
        with torch.no_grad():
            for p, t in zip(self.q.parameters(), self.q_target.parameters()):
                t.lerp_(p, self.tau)
        return {"q": q_loss, "pi": pi_loss, "alpha": alpha.item()}


env, buf = make_env("Humanoid-v4"), Buffer(1_000_000)
agent, log = SAC(376, 17), defaultdict(list)
obs, _ = env.reset()
for step in range(2_000_000):
    with torch.no_grad():
        act = agent.actor.sample(torch.as_tensor(obs, device="cuda").float()[None])[0][0].cpu().numpy()
    nxt, rew, term, trunc, _ = env.step(act)
    buf.add(obs, act, rew, nxt, term)
    obs = env.reset()[0] if term or trunc else nxt
    if step > 10_000:
        for k, v in agent.update(buf.draw(256)).items():
            log[k].append(v)
