import torch
import torch.nn.functional as F
from torch import nn
import torchvision.models as tvm


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = tvm.resnet101(weights="DEFAULT")
        for p in self.parameters():
            p.requires_grad = False
        self.eval()

    @torch.no_grad()
    def forward(self, x):
        return self.body(x)


def fit(student, loader, epochs=30):
    teacher = Teacher().cuda()
    opt = torch.optim.AdamW(student.parameters(), 1e-3)
    for epoch in range(epochs):
        total, n = 0.0, 0
        for x, y in loader:
            x = x.cuda(non_blocking=True)
            soft = teacher(x)
            out = student(x)
            loss = F.kl_div(out.log_softmax(1), soft.softmax(1), reduction="batchmean") + F.cross_entropy(out, y.cuda())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.detach()
            n += 1
        print(epoch, (total / n).item())
