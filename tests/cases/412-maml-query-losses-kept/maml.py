import torch
import torch.nn.functional as F
from torch.func import functional_call
from omniglot import Tasks, Conv4

net = Conv4(5).to("cuda")
meta_opt = torch.optim.Adam(net.parameters(), 1e-3)
tasks = {"train": Tasks("train", 5, 1), "val": Tasks("val", 5, 1)}


def adapt(params, xs, ys, steps=5, lr=0.4):
    for _ in range(steps):
        loss = F.cross_entropy(functional_call(net, params, (xs,)), ys)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads)}
    return params


def query_loss(task):
    xs, ys, xq, yq = (t.to("cuda") for t in task)
    fast = adapt(dict(net.named_parameters()), xs, ys)
    return F.cross_entropy(functional_call(net, fast, (xq,)), yq)


val_curve = []
for it in range(60_000):
    meta = 0.0
    for task in tasks["train"].draw(4):
        meta = meta + query_loss(task)
    meta_opt.zero_grad()
    (meta / 4).backward()
    meta_opt.step()
    if it % 100 == 0:
        val_curve.append(sum(query_loss(t) for t in tasks["val"].draw(8)) / 8)
