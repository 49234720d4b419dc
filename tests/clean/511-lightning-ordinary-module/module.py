import lightning.pytorch as pl
import torch
from torch import nn
from torchmetrics.classification import MulticlassAccuracy
from flowers import FlowerData


class Flowers(pl.LightningModule):
    def __init__(self, lr=1e-3, classes=102):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv2d(3, 64, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))
        self.acc = MulticlassAccuracy(classes)
        self.scores = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, i):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        out = self(x)
        self.acc.update(out, y)
        self.scores.append(out.softmax(1).amax(1).cpu())

    def on_validation_epoch_end(self):
        self.log("acc", self.acc.compute())
        self.log("confidence", torch.cat(self.scores).mean())
        self.acc.reset()
        self.scores.clear()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), self.hparams.lr)


pl.Trainer(max_epochs=30, accelerator="gpu", devices=1).fit(Flowers(), FlowerData(64))
