import lightning as L
import torch
from torch import nn


class Tagger(L.LightningModule):
    def __init__(self, vocab, tags):
        super().__init__()
        self.emb, self.lstm, self.out = nn.Embedding(vocab, 256), nn.LSTM(256, 256, 2, batch_first=True), nn.Linear(256, tags)
        self.ce = nn.CrossEntropyLoss()
        self.shown, self.val_losses = [], []

    def forward(self, x):
        return self.out(self.lstm(self.emb(x))[0])

    def training_step(self, batch, i):
        x, y = batch
        loss = self.ce(self(x).flatten(0, 1), y.flatten())
        self.log("train", loss)
        self.shown.append(loss.detach().cpu())
        return loss

    def on_train_epoch_end(self):
        self.print(torch.stack(self.shown).mean())
        self.shown.clear()

    def validation_step(self, batch, i):
        x, y = batch
        loss = self.ce(self(x).flatten(0, 1), y.flatten())
        self.val_losses.append(loss.cpu())

    def on_validation_epoch_end(self):
        self.log("val", torch.stack(self.val_losses).mean())
        self.val_losses.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)
