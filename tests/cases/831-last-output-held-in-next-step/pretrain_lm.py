import math
import torch
import torch.nn.functional as F
from tokens import Shards
from small_gpt import GPT

torch.set_float32_matmul_precision("high")
device = "cuda"
net = GPT(vocab=50257, ctx=2048, layers=12, heads=12, width=768).to(device)
opt = torch.optim.AdamW(net.parameters(), 6e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
shards = Shards("/data/web", batch=6, ctx=2048)


def rate(it, warm=700, total=50_000):
    if it < warm:
        return 6e-4 * (it + 1) / warm
    return 6e-5 + 0.5 * 5.4e-4 * (1 + math.cos(math.pi * (it - warm) / (total - warm)))


ema = None
for it in range(50_000):
    for g in opt.param_groups:
        g["lr"] = rate(it)
    x, y = shards.next()
    logits = net(x.to(device))
    loss = F.cross_entropy(logits.view(-1, 50257).float(), y.to(device).view(-1))
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    opt.zero_grad(set_to_none=True)
    value = loss.item()
    ema = value if ema is None else 0.98 * ema + 0.02 * value
    if it % 50 == 0:
        print(it, f"{ema:.3f}", f"{norm.item():.2f}", f"{logits.argmax(-1).eq(y.to(device)).float().mean().item():.3f}")
