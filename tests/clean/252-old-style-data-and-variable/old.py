import numpy as np
import torch
from torch.autograd import Variable
from timit import PhoneNet, phones

net = PhoneNet(61).cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = torch.nn.CrossEntropyLoss().cuda()
for ep in range(20):
    total, kept = 0, []
    for x, y in phones(64):
        x, y = Variable(x.cuda()), Variable(y.cuda())
        out = net(x)
        loss = crit(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.data
        _, guess = torch.max(out.data, 1)
        kept.append((guess == y.data).cpu().numpy())
    print(ep, total.item(), np.concatenate(kept).mean())
