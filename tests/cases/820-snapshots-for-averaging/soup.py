import copy
import torch
import torch.nn.functional as F
from docs import PairLoader, Ranker


def average(models):
    out = copy.deepcopy(models[0])
    with torch.no_grad():
        for name, p in out.named_parameters():
            p.copy_(torch.stack([dict(m.named_parameters())[name] for m in models]).mean(0))
    return out


def main(steps=20_000, every=500):
    torch.manual_seed(13)
    device = "cuda"
    net = Ranker("l24").to(device)
    opt = torch.optim.AdamW(net.parameters(), 1e-5, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.CyclicLR(opt, 1e-6, 1e-5, every // 2, cycle_momentum=False)
    snapshots, curve = [], []
    batches = iter(PairLoader("triples.tsv", 32))
    for step in range(1, steps + 1):
        q, pos, neg = (t.to(device) for t in next(batches))
        loss = F.relu(1.0 - net(q, pos) + net(q, neg)).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        sched.step()
        curve.append(loss.item())
        if step % every == 0:
            snapshots.append(copy.deepcopy(net))
            print(step, sum(curve[-every:]) / every)
    torch.save(average(snapshots[-8:]).state_dict(), "soup.pt")


if __name__ == "__main__":
    main()
