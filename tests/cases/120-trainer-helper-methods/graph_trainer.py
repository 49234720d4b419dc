import torch
from torch_geometric.loader import DataLoader


class GraphTrainer:
    def __init__(self, net, train_set, held_out, lr=5e-4):
        self.device = torch.device("cuda")
        self.net = net.to(self.device)
        self.train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
        self.held_out = DataLoader(held_out, batch_size=256)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.loss_fn = torch.nn.L1Loss()
        self.running = 0.0

    def _step(self, g):
        self.opt.zero_grad()
        loss = self.loss_fn(self.net(g.x, g.edge_index, g.batch).view(-1), g.y)
        loss.backward()
        self.opt.step()
        return loss

    @torch.inference_mode()
    def _score(self):
        self.net.eval()
        mae = 0.0
        for g in self.held_out:
            g = g.to(self.device)
            mae += self.loss_fn(self.net(g.x, g.edge_index, g.batch).view(-1), g.y) * g.num_graphs
        return mae / len(self.held_out.dataset)

    def fit(self, epochs):
        for epoch in range(epochs):
            self.net.train()
            self.running = 0.0
            for g in self.train_loader:
                self.running = self.running + self._step(g.to(self.device))
            print(epoch, float(self.running) / len(self.train_loader), float(self._score()))
