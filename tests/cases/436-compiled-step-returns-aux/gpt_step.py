import functools
import torch
import torch.nn.functional as F
from tinycorpus import stream
from gpt import GPT

torch.set_float32_matmul_precision("high")
cfg = dict(layers=12, width=768, heads=12, ctx=1024, lr=6e-4, steps=50_000)
model = torch.compile(GPT(**{k: cfg[k] for k in ("layers", "width", "heads", "ctx")}).cuda())
opt = torch.optim.AdamW(model.parameters(), cfg["lr"], fused=True)


def step(x, y, *, z_weight):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        logits = model(x)
    ce = F.cross_entropy(logits.flatten(0, 1).float(), y.flatten())
    z = logits.float().logsumexp(-1).pow(2).mean()
    (ce + z_weight * z).backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
    return ce, z


train_step = functools.partial(step, z_weight=1e-4)
sums = [0.0, 0.0]
for i, (x, y) in zip(range(cfg["steps"]), stream("train", 16, cfg["ctx"])):
    out = train_step(x.cuda(non_blocking=True), y.cuda(non_blocking=True))
    sums = [s + v for s, v in zip(sums, out)]
    if i % 100 == 99:
        print(i, *(float(s) / (i + 1) for s in sums))
