from collections import defaultdict

import torch
from accelerate import Accelerator
from transformers import AutoModelForQuestionAnswering
from squad_zh import train_loader, valid_loader

accelerator = Accelerator(mixed_precision="fp16")
net = AutoModelForQuestionAnswering.from_pretrained("bert-base-chinese")
opt = torch.optim.AdamW(net.parameters(), lr=1e-5)
net, opt, train_loader = accelerator.prepare(net, opt, train_loader)
history = defaultdict(list)

for epoch in range(2):
    net.train()
    for step, batch in enumerate(train_loader):
        out = net(**batch)
        accelerator.backward(out.loss)
        opt.step()
        opt.zero_grad()
        history["loss"].append(out.loss)
        history["lr"].append(opt.param_groups[0]["lr"])
    net.eval()
    with torch.no_grad():
        for batch in valid_loader:
            out = net(**{k: v.to(accelerator.device) for k, v in batch.items()})
            history["val"].append(out.loss)
