import torch
from torch.optim.swa_utils import SWALR, AveragedModel
from cub import cub_loader, cub_net

net = cub_net().cuda()
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
swa, sched = AveragedModel(net), SWALR(opt, swa_lr=0.01)
ce = torch.nn.CrossEntropyLoss()
for ep in range(40):
    for x, y in cub_loader("train", 32):
        opt.zero_grad()
        ce(net(x.cuda()), y.cuda()).backward()
        opt.step()
    swa.update_parameters(net)
    sched.step()
with torch.no_grad():
    swa.train()
    for x, _ in cub_loader("train", 32):
        swa(x.cuda())
    swa.eval()
    hits = [(swa(x.cuda()).argmax(1).cpu() == y).float().sum() for x, y in cub_loader("test", 64)]
print(sum(hits) / len(cub_loader("test", 64).dataset))
