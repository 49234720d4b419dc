import torch
import torch.nn.functional as F
from torch import nn
import torchvision.models as tvm
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from augment import train_tf, val_tf

T, ALPHA, EPOCHS = 4.0, 0.7, 90
teacher = tvm.convnext_large(weights="DEFAULT").cuda().eval()
student = tvm.mobilenet_v3_small(num_classes=1000).cuda()
opt = torch.optim.SGD(student.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=4e-5)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
train = DataLoader(ImageFolder("/data/in1k/train", train_tf), 128, shuffle=True, num_workers=16, pin_memory=True)
val = DataLoader(ImageFolder("/data/in1k/val", val_tf), 256, num_workers=16)


def kd(s, t):
    return F.kl_div(F.log_softmax(s / T, 1), F.softmax(t / T, 1), reduction="batchmean") * T * T


@torch.inference_mode()
def top1():
    student.eval()
    hits = 0
    for x, y in val:
        hits += student(x.cuda()).argmax(1).eq(y.cuda()).sum().item()
    return hits / len(val.dataset)


for epoch in range(EPOCHS):
    student.train()
    running = 0.0
    for x, y in train:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        soft = teacher(x)
        s = student(x)
        loss = ALPHA * kd(s, soft) + (1 - ALPHA) * F.cross_entropy(s, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        running += loss.item()
    sched.step()
    print(epoch, running / len(train), top1())
