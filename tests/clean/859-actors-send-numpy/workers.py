import torch
import torch.multiprocessing as mp
from arm import ArmEnv, Policy


def actor(rank, policy, queue, episodes):
    env = ArmEnv(seed=rank)
    with torch.no_grad():
        for _ in range(episodes):
            obs, done, steps = env.reset(), False, []
            while not done:
                mean, std = policy(torch.as_tensor(obs, device="cuda")[None])
                action = torch.normal(mean, std).squeeze(0).cpu().numpy()
                nxt, reward, done = env.step(action)
                steps.append((obs, action, reward))
                obs = nxt
            queue.put((rank, steps))


if __name__ == "__main__":
    mp.set_start_method("spawn")
    policy = Policy(24, 7).cuda()
    policy.share_memory()
    queue = mp.Queue(64)
    workers = [mp.Process(target=actor, args=(k, policy, queue, 500)) for k in range(4)]
    for w in workers:
        w.start()
    totals = []
    for _ in range(2000):
        rank, steps = queue.get()
        totals.append(sum(r for _, _, r in steps))
    for w in workers:
        w.join()
    print(sum(totals) / len(totals))
