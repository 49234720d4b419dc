import argparse
import torch
import torch.nn.functional as F
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import SAGEConv
from papers import load_graph


class Sage(torch.nn.Module):
    def __init__(self, n_in, hid, n_out, layers=3, p=0.5):
        super().__init__()
        dims = [n_in] + [hid] * (layers - 1) + [n_out]
        self.convs = torch.nn.ModuleList(SAGEConv(a, b) for a, b in zip(dims, dims[1:]))
        self.p = p

    def forward(self, x, edge_index):
        for k, conv in enumerate(self.convs):
            x = conv(x, edge_index)
            if k + 1 < len(self.convs):
                x = F.dropout(F.relu(x), self.p, self.training)
        return x


class Run:
    def __init__(self, args):
        self.dev = torch.device(f"cuda:{args.gpu}")
        self.data = load_graph(args.root)
        self.net = Sage(self.data.num_features, args.hidden, 172).to(self.dev)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=args.lr)
        self.history = {"train": [], "test": []}
        self.fan = [15, 10, 5]

    def loader(self, mask, shuffle):
        return NeighborLoader(self.data, self.fan, input_nodes=mask, batch_size=1024, shuffle=shuffle, num_workers=8)

    def train(self):
        self.net.train()
        seen = 0
        for block in self.loader(self.data.train_mask, True):
            block = block.to(self.dev)
            self.opt.zero_grad()
            out = self.net(block.x, block.edge_index)[: block.batch_size]
            loss = F.cross_entropy(out, block.y[: block.batch_size])
            loss.backward()
            self.opt.step()
            self.history["train"].append(loss)
            seen += block.batch_size
        return seen

    def test(self):
        self.net.eval()
        hits, seen, outs = 0, 0, []
        for block in self.loader(self.data.test_mask, False):
            block = block.to(self.dev)
            out = self.net(block.x, block.edge_index)[: block.batch_size]
            outs.append(out)
            hits += int((out.argmax(-1) == block.y[: block.batch_size]).sum())
            seen += block.batch_size
        self.history["test"].append(hits / seen)
        return torch.cat(outs)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--root", default="/data/papers")
    p.add_argument("--gpu", type=int, default=0)
    p.add_argument("--hidden", type=int, default=256)
    p.add_argument("--lr", type=float, default=3e-3)
    run = Run(p.parse_args())
    for epoch in range(30):
        run.train()
        if epoch % 5 == 0:
            torch.save(run.test(), f"logits-{epoch}.pt")
