import torch
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel
from imagefolder import loaders
from timm import create_model

T, alpha = 4.0, 0.9
teacher = create_model("resnet50", pretrained=True).cuda().eval()
for p in teacher.parameters():
    p.requires_grad = False
student = create_model("mobilenetv3_small_100").cuda()
avg = AveragedModel(student)
opt = torch.optim.SGD(student.parameters(), 0.05, momentum=0.9, nesterov=True)
train_dl, test_dl = loaders(256)
kd_curve, ce_curve = [], []


def kd(s, t):
    return F.kl_div(F.log_softmax(s / T, 1), F.softmax(t / T, 1), reduction="batchmean") * T * T


for epoch in range(400):
    student.train()
    for x, y in train_dl:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        t_logits = teacher(x)
        s_logits = student(x)
        soft, hard = kd(s_logits, t_logits), F.cross_entropy(s_logits, y)
        loss = alpha * soft + (1 - alpha) * hard
        opt.zero_grad()
        loss.backward()
        opt.step()
        avg.update_parameters(student)
        kd_curve.append(soft.cpu())
        ce_curve.append(hard.detach().cpu())
