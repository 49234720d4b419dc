import time

import torch
from torch import nn
from torchvision import models
from fish import dls

dev = "cuda"


def go(net, crit, opt, epochs):
    hist = {p: {"loss": [], "acc": []} for p in ("train", "val")}
    for ep in range(epochs):
        t0 = time.time()
        for phase, dl in dls.items():
            is_train = phase == "train"
            net.train(is_train)
            s, c, n = 0.0, 0, 0
            for x, y in dl:
                x, y = x.to(dev), y.to(dev)
                opt.zero_grad()
                with torch.set_grad_enabled(is_train):
                    z = net(x)
                    l = crit(z, y)
                    if is_train:
                        l.backward()
                        opt.step()
                s += l.item() * x.size(0)
                c += (z.argmax(1) == y).sum()
                n += x.size(0)
            hist[phase]["loss"].append(s / n)
            hist[phase]["acc"].append((c.double() / n).item())
        print(ep, {p: h["loss"][-1] for p, h in hist.items()}, time.time() - t0)
    return hist


m = models.mobilenet_v3_large(weights="DEFAULT").to(dev)
go(m, nn.CrossEntropyLoss(), torch.optim.Adam(m.parameters()), 12)
