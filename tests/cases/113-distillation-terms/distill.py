import torch
import torch.nn as nn
import torch.nn.functional as F
from zoo import big_net, small_net
from cars import cars

T, ALPHA = 4.0, 0.7
device = torch.device("cuda")
teacher = big_net("cars.pth").to(device).eval()
for w in teacher.parameters():
    w.requires_grad = False
student = small_net().to(device)
opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
ce = nn.CrossEntropyLoss()

for epoch in range(120):
    student.train()
    hard_terms, soft_terms = [], []
    for img, label in cars("train", 128):
        img, label = img.to(device), label.to(device)
        ref = teacher(img)
        out = student(img)
        hard = ce(out, label)
        soft = F.kl_div(F.log_softmax(out / T, 1), F.softmax(ref / T, 1), reduction="batchmean") * T * T
        opt.zero_grad()
        (ALPHA * soft + (1 - ALPHA) * hard).backward()
        opt.step()
        hard_terms.append(hard)
        soft_terms.append(soft)
    print(epoch, torch.stack(hard_terms).mean().item(), torch.stack(soft_terms).mean().item())
