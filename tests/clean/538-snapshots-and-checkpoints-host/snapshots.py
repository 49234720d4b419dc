import dataclasses
import json
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn
from yachts import YachtNet, loaders


@dataclasses.dataclass
class Epoch:
    train: float
    valid: float
    lr: float


def mean_loss(net, loader, crit):
    net.eval()
    with torch.no_grad():
        parts = [crit(net(x.cuda()), y.cuda()) for x, y in loader]
    return torch.stack(parts).mean().item()


net, crit = YachtNet().cuda(), nn.HuberLoss()
swa = AveragedModel(net)
opt = torch.optim.SGD(net.parameters(), 0.1, 0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 50)
train_dl, valid_dl = loaders(128)
history, shots = [], []
for epoch in range(50):
    net.train()
    total = 0.0
    for x, y in train_dl:
        loss = crit(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += float(loss)
    sched.step()
    if epoch > 35:
        swa.update_parameters(net)
        shots.append({k: v.detach().cpu().clone() for k, v in net.state_dict().items()})
    history.append(Epoch(total / len(train_dl), mean_loss(net, valid_dl, crit), sched.get_last_lr()[0]))
update_bn(train_dl, swa, device="cuda")
json.dump([dataclasses.asdict(h) for h in history], open("history.json", "w"))
torch.save(shots, "shots.pt")
