import sys

import torch
from tiny import TinyGPT, stream

if sys.argv[1] == "fabric":
    from lightning.fabric import Fabric

    fabric = Fabric(accelerator="cuda", precision="bf16-mixed")
    net = TinyGPT()
    net, opt = fabric.setup(net, torch.optim.AdamW(net.parameters(), 3e-4))
    log, total = [], 0.0
    for i, (x, y) in enumerate(fabric.setup_dataloaders(stream(16))):
        loss = net(x, y)
        fabric.backward(loss)
        opt.step()
        opt.zero_grad()
        total += loss.item()
        log.append({"step": i, "loss": loss.detach().float().cpu().tolist()})
else:
    import deepspeed

    engine, *_ = deepspeed.initialize(model=TinyGPT(), config="ds.json")
    mean = torch.zeros(1, device=engine.device)
    for i, (x, y) in enumerate(stream(16)):
        loss = engine(x.to(engine.device), y.to(engine.device))
        engine.backward(loss)
        engine.step()
        mean = (mean * i + loss.detach()) / (i + 1)
    print(mean.item())
