import copy
import torch
import torch.nn.functional as F
from semi import two_views, Wide

student = Wide(28, 2).cuda()
teacher = copy.deepcopy(student)
opt = torch.optim.SGD(student.parameters(), 0.03, 0.9, weight_decay=5e-4, nesterov=True)
smooth = None


@torch.no_grad()
def follow(decay):
    for s, t in zip(student.parameters(), teacher.parameters()):
        t.mul_(decay).add_(s, alpha=1 - decay)


for step, ((weak, strong), y, has_label) in enumerate(two_views(64)):
    weak, strong, y, has_label = weak.cuda(), strong.cuda(), y.cuda(), has_label.cuda()
    out = student(strong)
    with torch.no_grad():
        goal = teacher(weak).softmax(1)
    loss = (F.cross_entropy(out, y, reduction="none") * has_label).mean()
    loss += 10 * F.mse_loss(out.softmax(1), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    follow(min(1 - 1 / (step + 1), 0.999))
    value = loss.detach()
    smooth = value if smooth is None else 0.98 * smooth + 0.02 * value
    if step % 100 == 0:
        print(step, smooth.item())
