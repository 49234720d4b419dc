import torch
import torch.multiprocessing as mp
from torch.distributions import Normal
from arm import ArmEnv, Policy, Value


def act(policy, obs):
    mean, std = policy(obs)
    dist = Normal(mean, std)
    action = dist.sample()
    return action, dist.log_prob(action).sum(-1)


def actor(rank, policy, value, queue, episodes):
    torch.manual_seed(rank)
    env = ArmEnv(seed=rank)
    kept = []
    for _ in range(episodes):
        obs, done, ret = env.reset(), False, 0.0
        while not done:
            x = torch.as_tensor(obs, dtype=torch.float32, device="cuda").unsqueeze(0)
            action, logp = act(policy, x)
            obs, reward, done = env.step(action.squeeze(0).cpu().numpy())
            kept.append((x, action, logp, reward))
            ret += reward
        queue.put((rank, ret))
    torch.save(kept, f"actor{rank}.pt")


def main(n=4, episodes=2000):
    mp.set_start_method("spawn")
    policy, value = Policy(24, 7).cuda(), Value(24).cuda()
    policy.share_memory()
    queue = mp.Queue()
    procs = [mp.Process(target=actor, args=(k, policy, value, queue, episodes)) for k in range(n)]
    for p in procs:
        p.start()
    returns = {k: [] for k in range(n)}
    for _ in range(n * episodes):
        k, ret = queue.get()
        returns[k].append(ret)
    for p in procs:
        p.join()
    print({k: sum(v) / len(v) for k, v in returns.items()})


if __name__ == "__main__":
    main()
