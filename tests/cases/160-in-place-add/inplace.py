import torch
from torch import nn, optim
from reader import LipReader, clips

net = LipReader(500).cuda()
net = nn.parallel.DataParallel(net)
sched = optim.lr_scheduler.OneCycleLR(optim.SGD(net.parameters(), 0.1), 0.1, 100_000)
ce = nn.CrossEntropyLoss()
meter, extra = torch.zeros(1, device="cuda"), torch.zeros((), device="cuda")
for n, (video, word) in enumerate(clips(32), 1):
    out = net(video.cuda())
    loss = ce(out, word.cuda())
    sched.optimizer.zero_grad()
    loss.backward()
    sched.optimizer.step()
    sched.step()
    meter.add_(loss)
    extra = torch.add(extra, loss.detach())
    if n % 1000 == 0:
        print(n, meter.item() / n, extra.item() / n)
