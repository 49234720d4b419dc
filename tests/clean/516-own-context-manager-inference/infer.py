from contextlib import contextmanager
import torch
from torch.nn.functional import cross_entropy
from signs import SignNet, sign_loader


@contextmanager
def frozen(net):
    was = net.training
    net.eval()
    with torch.no_grad():
        yield net
    net.train(was)


net = SignNet().to("cuda")
opt = torch.optim.Adam(net.parameters())
for epoch in range(15):
    for x, y in sign_loader("train"):
        opt.zero_grad()
        cross_entropy(net(x.to("cuda")), y.to("cuda")).backward()
        opt.step()
    total, outs = 0, []
    with frozen(net) as n:
        for x, y in sign_loader("val"):
            out = n(x.to("cuda"))
            total += cross_entropy(out, y.to("cuda"))
            outs.append(out.argmax(1).cpu())
    print(epoch, total.item(), torch.cat(outs).bincount())
