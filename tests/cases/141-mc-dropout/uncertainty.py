import torch
from torch import nn
from retina import RetinaNet50, scans


def enable_dropout(net):
    net.eval()
    for m in net.modules():
        if isinstance(m, nn.Dropout):
            m.train()


def mc_predict(net, x, passes=50):
    enable_dropout(net)
    draws = []
    for _ in range(passes):
        p = net(x).softmax(1)
        draws.append(p)
    draws = torch.stack(draws)
    return draws.mean(0), draws.var(0)


net = RetinaNet50(5)
net.load_state_dict(torch.load("retina.pt", map_location="cpu"))
net.to("cuda")
for x, name in scans("test", 8):
    mean, var = mc_predict(net, x.to("cuda"))
    print(name, mean.argmax(1).tolist(), var.sum(1).tolist())
