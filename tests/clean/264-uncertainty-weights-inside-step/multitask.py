import torch
from torch import nn
from scenes import Heads, nyu


class Weigh(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.log_var = nn.ParameterDict({t: nn.Parameter(torch.zeros(())) for t in tasks})

    def forward(self, losses):
        total = 0
        for t, l in losses.items():
            total = total + l * torch.exp(-self.log_var[t]) + self.log_var[t]
        return total


tasks = {"seg": nn.CrossEntropyLoss(), "depth": nn.L1Loss(), "normal": nn.CosineSimilarity()}
net, weigh = Heads(list(tasks)).cuda(), Weigh(tasks).cuda()
opt = torch.optim.Adam([*net.parameters(), *weigh.parameters()], 1e-4)
for step, (img, gold) in enumerate(nyu(8)):
    out = net(img.cuda())
    losses, shown = {}, []
    for t, crit in tasks.items():
        losses[t] = crit(out[t], gold[t].cuda()).mean()
        shown.append(f"{t} {losses[t].item():.3f}")
    total = weigh(losses)
    opt.zero_grad()
    total.backward()
    opt.step()
    if step % 100 == 0:
        print(step, total.item(), *shown)
