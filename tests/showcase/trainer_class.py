"""A trainer that keeps its running numbers on itself."""

import torch
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model: nn.Module, train_loader: DataLoader, valid_loader: DataLoader):
        self.model = model.cuda()
        self.train_loader = train_loader
        self.valid_loader = valid_loader
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4)
        self.criterion = nn.MSELoss()
        self.epoch_loss = 0.0
        self.history = []

    def forward_loss(self, batch):
        inputs, targets = (part.cuda(non_blocking=True) for part in batch)
        return self.criterion(self.model(inputs), targets)

    def train_epoch(self):
        self.model.train()
        self.epoch_loss = 0.0
        for batch in self.train_loader:
            loss = self.forward_loss(batch)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self.epoch_loss += loss
            self.history.append(loss)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total = 0.0
        for batch in self.valid_loader:
            total += self.forward_loss(batch)
        return total / len(self.valid_loader)

    def fit(self, epochs: int):
        for epoch in range(epochs):
            self.train_epoch()
            print(epoch, self.epoch_loss / len(self.train_loader), self.validate())
