import torch
import torch.nn.functional as F
from torch.func import functional_call
from omniglot import Tasks, Conv4

net = Conv4(5).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
curve = []


def adapt(params, x, y, steps=5):
    for _ in range(steps):
        loss = F.cross_entropy(functional_call(net, params, (x,)), y)
        grads = torch.autograd.grad(loss, tuple(params.values()), create_graph=True)
        params = {k: p - 0.4 * g for (k, p), g in zip(params.items(), grads)}
    return params


for it in range(60_000):
    meta = 0.0
    for xs, ys, xq, yq in Tasks("train").draw(4):
        fast = adapt(dict(net.named_parameters()), xs.cuda(), ys.cuda())
        meta = meta + F.cross_entropy(functional_call(net, fast, (xq.cuda(),)), yq.cuda()) / 4
    opt.zero_grad()
    meta.backward()
    opt.step()
    curve.append(meta.item())
