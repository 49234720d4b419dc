import numpy as np
import torch
import torch.multiprocessing as mp
import torch.nn.functional as F
from arcade import make, Policy, vtrace


def actor(i, policy, queue, T=20):
    env = make("Pong", seed=i)
    obs = env.reset()
    while True:
        rows = []
        for _ in range(T):
            with torch.no_grad():
                logits, _ = policy(torch.from_numpy(obs).unsqueeze(0))
            a = torch.distributions.Categorical(logits=logits).sample().item()
            nxt, r, done, _ = env.step(a)
            rows.append((obs, a, r, done, logits[0].numpy()))
            obs = env.reset() if done else nxt
        queue.put([np.stack(c) for c in zip(*rows)])


def main():
    mp.set_start_method("spawn")
    host = Policy(6).share_memory()
    net = Policy(6).cuda()
    opt = torch.optim.RMSprop(net.parameters(), 5e-4, eps=0.01)
    queue = mp.Queue(64)
    procs = [mp.Process(target=actor, args=(i, host, queue), daemon=True) for i in range(16)]
    for p in procs:
        p.start()
    stats = {}
    for update in range(1_000_000):
        batch = [torch.as_tensor(c).cuda() for c in map(np.stack, zip(*(queue.get() for _ in range(8))))]
        obs, act, rew, done, behaviour = batch
        logits, value = net(obs.flatten(0, 1))
        target, adv = vtrace(logits.detach(), value.detach(), behaviour, act, rew, done)
        lp = -F.cross_entropy(logits, act.flatten(), reduction="none")
        pg, vl = -(lp * adv.flatten()).mean(), (value.flatten() - target.flatten()).pow(2).mean()
        loss = pg + 0.5 * vl
        opt.zero_grad()
        loss.backward()
        opt.step()
        stats = {"pg": pg.item(), "vl": vl.item(), "reward": rew.sum().item()}
        if update % 10 == 0:
            host.load_state_dict({k: v.cpu() for k, v in net.state_dict().items()})
    print(stats)


if __name__ == "__main__":
    main()
