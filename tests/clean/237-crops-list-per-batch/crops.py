import torch
import torch.nn.functional as F
from dino import Head, MultiCrop, vit

body, head = vit("s16").cuda(), Head(384, 65_536).cuda()
opt = torch.optim.AdamW([*body.parameters(), *head.parameters()], 5e-4)
center = torch.zeros(1, 65_536, device="cuda")


def embed(crops):
    sizes, out, start = [c.shape[-1] for c in crops], [], 0
    while start < len(crops):
        stop = start + 1
        while stop < len(crops) and sizes[stop] == sizes[start]:
            stop += 1
        out.append(body(torch.cat(crops[start:stop])))
        start = stop
    return head(torch.cat(out))


for views in MultiCrop("/data/in1k", 64):
    views = [v.cuda() for v in views]
    s = embed(views)
    with torch.no_grad():
        t = embed(views[:2])
        center = 0.9 * center + 0.1 * t.mean(0, keepdim=True)
    pieces = []
    for i, p in enumerate((t - center).div(0.04).softmax(-1).chunk(2)):
        for j, q in enumerate(s.chunk(len(views))):
            if i != j:
                pieces.append(-(p * F.log_softmax(q / 0.1, -1)).sum(-1).mean())
    loss = torch.stack(pieces).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
