import lightning as L
import torch
import torch.nn.functional as F
from music import ResNetMel


class Genre(L.LightningModule):
    def __init__(self, n=16):
        super().__init__()
        self.net = ResNetMel(n)
        self.train_losses, self.val_hits = [], []

    def training_step(self, batch, idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.train_losses.append(loss.item())
        return loss

    def on_train_epoch_end(self):
        self.log("train/loss", sum(self.train_losses) / len(self.train_losses))
        self.train_losses.clear()

    def validation_step(self, batch, idx):
        x, y = batch
        self.val_hits.append((self.net(x).argmax(1) == y).float().mean().cpu())
        return {"y": y}

    def on_validation_epoch_end(self):
        self.log("val/acc", torch.stack(self.val_hits).mean())
        self.val_hits.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)
