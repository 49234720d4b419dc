import copy

import torch
import torch.nn.functional as F
from omni import Conv4, sample_tasks

learner = Conv4(5).cuda()
meta_opt = torch.optim.Adam(learner.parameters(), 1e-3)


def adapt(xs, ys, steps=5):
    clone = copy.deepcopy(learner)
    inner = torch.optim.SGD(clone.parameters(), 0.4)
    for _ in range(steps):
        l = F.cross_entropy(clone(xs), ys)
        inner.zero_grad()
        l.backward()
        inner.step()
    return clone


for it in range(60_000):
    tasks = sample_tasks(n_way=5, k_shot=1, count=4)
    outer, accs = 0.0, []
    for xs, ys, xq, yq in tasks:
        logits = learner(torch.cat([xs, xq]).cuda())[len(xs) :]
        outer = outer + F.cross_entropy(logits, yq.cuda())
        accs.append((logits.argmax(1).cpu() == yq).float().mean().item())
    outer = outer / len(tasks)
    meta_opt.zero_grad()
    outer.backward()
    meta_opt.step()
    if it % 500 == 0:
        print(it, outer.item(), sum(accs) / len(accs))
