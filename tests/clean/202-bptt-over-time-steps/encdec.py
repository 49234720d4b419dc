import random

import torch
from torch import nn
from pairs import batches
from attn import AttnDecoder, Encoder

dev = torch.device("cuda")
enc, dec = Encoder(9000, 512).to(dev), AttnDecoder(7000, 512).to(dev)
opts = [torch.optim.SGD(m.parameters(), 0.01) for m in (enc, dec)]
nll = nn.NLLLoss(ignore_index=0)


def train_batch(src, tgt, force=0.5):
    for o in opts:
        o.zero_grad()
    memory, h = enc(src)
    loss, token = 0, tgt[:, :1]
    for t in range(1, tgt.size(1)):
        out, h, _ = dec(token, h, memory)
        loss += nll(out, tgt[:, t])
        token = tgt[:, t : t + 1] if random.random() < force else out.argmax(-1, keepdim=True)
    loss.backward()
    for o in opts:
        o.step()
    return loss.item() / (tgt.size(1) - 1)


shown, every = 0, 100
for i, (src, tgt) in enumerate(batches(64), 1):
    shown += train_batch(src.to(dev), tgt.to(dev))
    if i % every == 0:
        print(i, shown / every)
        shown = 0
