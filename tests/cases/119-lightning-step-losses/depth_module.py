import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from depth import DepthNet, silog


class DepthModule(pl.LightningModule):
    def __init__(self, lr=1e-4):
        super().__init__()
        self.net, self.lr = DepthNet(), lr
        self.step_losses = []
        self.val_rmse = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        rgb, depth = batch
        loss = silog(self(rgb), depth)
        self.step_losses.append(loss)
        self.log("loss", loss, prog_bar=True)
        return loss

    def on_train_epoch_end(self):
        self.log("epoch_loss", torch.stack(self.step_losses).mean())
        self.step_losses.clear()

    def validation_step(self, batch, batch_idx):
        rgb, depth = batch
        self.val_rmse.append(F.mse_loss(self(rgb), depth).sqrt().item())

    def on_validation_epoch_end(self):
        self.log("rmse", sum(self.val_rmse) / len(self.val_rmse))
        self.val_rmse.clear()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), self.lr)
