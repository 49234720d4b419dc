import esm
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


class StabilityModel:
    """fit / predict in the way of scikit-learn."""

    def __init__(self, layer=33, lr=1e-5, batch_size=8, device="cuda"):
        self.backbone, self.alphabet = esm.pretrained.esm2_t33_650M_UR50D()
        self.head = nn.Linear(1280, 1)
        self.layer, self.batch_size, self.device = layer, batch_size, device
        self.convert = self.alphabet.get_batch_converter(truncation_seq_length=1022)
        self.backbone.to(device)
        self.head.to(device)
        self.opt = torch.optim.AdamW([*self.backbone.parameters(), *self.head.parameters()], lr)
        self.curve_ = []

    def _forward(self, seqs):
        _, _, tokens = self.convert([("", s) for s in seqs])
        rep = self.backbone(tokens.to(self.device), repr_layers=[self.layer])["representations"][self.layer]
        return self.head(rep.mean(1)).squeeze(-1)

    def fit(self, seqs, y, epochs=3):
        self.backbone.train()
        for _ in range(epochs):
            for idx in DataLoader(range(len(seqs)), self.batch_size, shuffle=True):
                target = torch.as_tensor(y[idx.numpy()], dtype=torch.float32, device=self.device)
                loss = nn.functional.mse_loss(self._forward([seqs[i] for i in idx]), target)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.curve_.append(loss.item())
        return self

    def predict(self, seqs):
        self.backbone.eval()
        chunks = []
        for i in range(0, len(seqs), self.batch_size):
            chunks.append(self._forward(seqs[i : i + self.batch_size]))
        return torch.cat(chunks).detach().cpu().numpy()


if __name__ == "__main__":
    data = np.load("stability.npz", allow_pickle=True)
    model = StabilityModel().fit(list(data["train"]), data["y"])
    np.save("pred.npy", model.predict(list(data["screen"])))
