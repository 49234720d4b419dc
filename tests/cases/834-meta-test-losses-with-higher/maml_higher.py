import higher
import torch
import torch.nn.functional as F
from omni import Episodes, Conv4

device = "cuda"
net = Conv4(ways=5).to(device)
meta_opt = torch.optim.Adam(net.parameters(), 1e-3)
inner_opt = torch.optim.SGD(net.parameters(), 0.1)


def train(episodes, epoch):
    net.train()
    for k, batch in enumerate(episodes):
        meta_opt.zero_grad()
        value = 0.0
        for xs, ys, xq, yq in batch:
            with higher.innerloop_ctx(net, inner_opt, copy_initial_weights=False) as (fnet, diffopt):
                for _ in range(5):
                    diffopt.step(F.cross_entropy(fnet(xs.to(device)), ys.to(device)))
                q = F.cross_entropy(fnet(xq.to(device)), yq.to(device))
                q.backward()
                value += q.item() / len(batch)
        meta_opt.step()
        if k % 100 == 0:
            print(epoch, k, value)


def test(episodes):
    net.train()
    losses, accs = [], []
    for batch in episodes:
        for xs, ys, xq, yq in batch:
            with higher.innerloop_ctx(net, inner_opt) as (fnet, diffopt):
                for _ in range(10):
                    diffopt.step(F.cross_entropy(fnet(xs.to(device)), ys.to(device)))
                logits = fnet(xq.to(device))
                losses.append(F.cross_entropy(logits, yq.to(device)))
                accs.append((logits.argmax(1).cpu() == yq).float().mean().item())
    return torch.stack(losses).mean().item(), sum(accs) / len(accs)


for epoch in range(100):
    train(Episodes("train", tasks=16, per_epoch=500), epoch)
    print("test", epoch, *test(Episodes("test", tasks=6, per_epoch=100)))
