import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_
from jets import JetTransformer, jets

dev = "cuda"
model = JetTransformer(7, 128, 6).to(dev)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-3, total_steps=20_000)
ce = nn.CrossEntropyLoss()
norms, rates, weight_curve = [], [], []
seen = torch.zeros((), device=dev)
grad_sum = torch.zeros((), device=dev)
for step, (x, mask, y) in enumerate(jets("train", 512)):
    x, mask, y = x.to(dev), mask.to(dev), y.to(dev)
    loss = ce(model(x, mask), y)
    opt.zero_grad()
    loss.backward()
    g = clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    norms.append(g.item())
    rates.append(sched.get_last_lr()[0])
    grad_sum += g
    seen += mask.sum()
    if step % 100 == 0:
        with torch.no_grad():
            weight_curve.append(sum(p.norm() for p in model.parameters()))
    if step == 20_000:
        break
print(grad_sum.item() / step, seen.item(), [w.item() for w in weight_curve[-3:]])
