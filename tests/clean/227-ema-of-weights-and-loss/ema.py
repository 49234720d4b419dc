import copy

import torch
from gen import Vocoder, mels


class Ema:
    def __init__(self, net, decay=0.999):
        self.shadow, self.decay = copy.deepcopy(net).eval().requires_grad_(False), decay

    @torch.no_grad()
    def update(self, net):
        for s, p in zip(self.shadow.parameters(), net.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)


net = Vocoder().cuda()
ema, opt, smooth, best = Ema(net), torch.optim.AdamW(net.parameters(), 2e-4), None, float("inf")
for i, (mel, wav) in enumerate(mels(16)):
    loss = torch.nn.functional.l1_loss(net(mel.cuda()), wav.cuda())
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(net)
    v = loss.item()
    smooth = v if smooth is None else 0.98 * smooth + 0.02 * v
    if i % 1000 == 0 and smooth < best:
        best = smooth
        torch.save(ema.shadow.state_dict(), "best.pt")
