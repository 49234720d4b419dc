import torch
import torchvision
from torch.nn import functional as F
from market import gallery, query


class Embedder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        trunk = torchvision.models.resnet50(weights="IMAGENET1K_V2")
        self.trunk = torch.nn.Sequential(*list(trunk.children())[:-2])
        self.pool = torch.nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return F.normalize(self.pool(self.trunk(x)).flatten(1))


def extract(net, loader):
    net.eval()
    bank, ids = [], []
    for imgs, pid, cam in loader:
        f = net(imgs.cuda()) + net(imgs.flip(3).cuda())
        bank.append(f.cpu())
        ids.extend(pid.tolist())
    return torch.cat(bank), ids


net = Embedder().cuda()
net.load_state_dict(torch.load("reid.pt", map_location="cuda"))
g, g_ids = extract(net, gallery(64))
q, q_ids = extract(net, query(64))
dist = torch.cdist(q.detach(), g.detach())
print(dist.argmin(1)[:10])
