import torch
import torch.nn.functional as F
from torch_geometric.datasets import Planetoid
from torch_geometric.nn import GCNConv


class GCN(torch.nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.a, self.b = GCNConv(i, h, cached=True), GCNConv(h, o, cached=True)

    def forward(self, x, e):
        return self.b(F.dropout(F.relu(self.a(F.dropout(x, 0.5, self.training), e)), 0.5, self.training), e)


data = Planetoid("data", "Cora")[0].to("cuda")
model = GCN(data.num_features, 16, 7).to("cuda")
opt = torch.optim.Adam(model.parameters(), 0.01, weight_decay=5e-4)


def train():
    model.train()
    opt.zero_grad()
    loss = F.cross_entropy(model(data.x, data.edge_index)[data.train_mask], data.y[data.train_mask])
    loss.backward()
    opt.step()
    return float(loss)


@torch.no_grad()
def test():
    model.eval()
    pred = model(data.x, data.edge_index).argmax(-1)
    return [int((pred[m] == data.y[m]).sum()) / int(m.sum()) for m in (data.train_mask, data.val_mask, data.test_mask)]


best_val = final = 0
losses, accs = [], []
for epoch in range(1, 201):
    losses.append(train())
    accs.append(test())
    if accs[-1][1] > best_val:
        best_val, final = accs[-1][1], accs[-1][2]
print(best_val, final, sum(losses) / 200)
