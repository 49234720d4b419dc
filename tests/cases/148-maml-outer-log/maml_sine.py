import torch
from torch import nn
from torch.func import functional_call
from tasks import sine_tasks

net = nn.Sequential(nn.Linear(1, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
meta_opt = torch.optim.Adam(net.parameters(), 1e-3)
outer_log = []
for it in range(70_000):
    meta = 0.0
    for xs, ys, xq, yq in sine_tasks(25, device="cuda"):
        fast = dict(net.named_parameters())
        inner = (functional_call(net, fast, xs) - ys).pow(2).mean()
        grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
        fast = {k: w - 0.01 * g for (k, w), g in zip(fast.items(), grads)}
        meta = meta + (functional_call(net, fast, xq) - yq).pow(2).mean()
    meta_opt.zero_grad()
    meta.backward()
    meta_opt.step()
    outer_log.append(meta)
