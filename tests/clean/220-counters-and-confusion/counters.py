import torch
from torch.nn.utils import clip_grad_norm_
from eeg import EEGNet, nights

K = 5
net = EEGNet(K).to("cuda")
opt = torch.optim.Adam(net.parameters(), 1e-3)
ce = torch.nn.CrossEntropyLoss()
for ep in range(80):
    hit, n, gn = 0, 0, 0.0
    table = torch.zeros(K, K, dtype=torch.long, device="cuda")
    tops = []
    for x, y in nights("train", 64):
        x, y = x.to("cuda"), y.to("cuda")
        z = net(x)
        loss = ce(z, y)
        opt.zero_grad()
        loss.backward()
        gn += clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        guess = z.max(dim=1)[1]
        hit += guess.eq(y).sum()
        table += torch.bincount(K * y + guess, minlength=K * K).view(K, K)
        tops.extend(z.topk(2).indices[:, 1].tolist())
        n += y.numel()
    print(ep, (hit / n).item(), (gn / n).item(), table.diag().tolist())
