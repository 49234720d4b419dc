import torch
import torch.nn.functional as F
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import SAGEConv
from papers import load_graph


class Sage(torch.nn.Module):
    def __init__(self, d, h, c):
        super().__init__()
        self.c1, self.c2 = SAGEConv(d, h), SAGEConv(h, h)
        self.cls, self.proj = torch.nn.Linear(h, c), torch.nn.Linear(h, 64)

    def forward(self, x, edge):
        h = F.relu(self.c2(F.dropout(F.relu(self.c1(x, edge)), 0.5, self.training), edge))
        return self.cls(h), self.proj(h)


data = load_graph("arxiv")
loader = NeighborLoader(data, [15, 10], batch_size=1024, input_nodes=data.train_mask, shuffle=True)
net = Sage(data.num_features, 256, 40).cuda()
opt = torch.optim.Adam(net.parameters(), 3e-3)
for ep in range(50):
    sup_sum, spread_sum, hit = 0.0, 0.0, 0
    for b in loader:
        b = b.cuda()
        logits, z = net(b.x, b.edge_index)
        n = b.batch_size
        sup = F.cross_entropy(logits[:n], b.y[:n])
        spread = F.normalize(z[:n], dim=1).T.cov().diagonal().sum()
        opt.zero_grad()
        sup.backward()
        opt.step()
        sup_sum += float(sup) * n
        spread_sum += spread
        hit += int((logits[:n].argmax(1) == b.y[:n]).sum())
    print(ep, sup_sum / hit, spread_sum)
