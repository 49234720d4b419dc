import torch


class NeuralNet:
    def __init__(self, module, criterion, lr=0.01, batch_size=128, device="cuda"):
        self.module = module.to(device)
        self.criterion = criterion
        self.opt = torch.optim.SGD(self.module.parameters(), lr)
        self.batch_size, self.device = batch_size, device
        self.history = []

    def _batches(self, data):
        return torch.utils.data.DataLoader(data, self.batch_size)

    def train_batch(self, x, y):
        self.module.train()
        self.opt.zero_grad()
        loss = self.criterion(self.module(x.to(self.device)), y.to(self.device))
        loss.backward()
        self.opt.step()
        return loss.item()

    def validate_batch(self, x, y):
        self.module.eval()
        out = self.module(x.to(self.device))
        return self.criterion(out, y.to(self.device))

    def fit(self, train, valid, epochs=20):
        for _ in range(epochs):
            row = {"train": [], "valid": []}
            for x, y in self._batches(train):
                row["train"].append(self.train_batch(x, y))
            for x, y in self._batches(valid):
                row["valid"].append(self.validate_batch(x, y))
            self.history.append(row)
        return self
