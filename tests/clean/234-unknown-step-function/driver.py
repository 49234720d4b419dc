import torch
from research.engine import build, fit_one_batch

cfg = {"lr": 3e-4, "device": "cuda"}
state = build(cfg)
total_loss, losses, metrics = 0.0, [], {}
for epoch in range(10):
    for batch in state.loader:
        loss = fit_one_batch(state, batch)
        total_loss += loss
        losses.append(loss)
        for k, v in state.report().items():
            metrics.setdefault(k, []).append(v)
    print(epoch, total_loss / len(state.loader))
torch.save(metrics, "metrics.pt")
