import numpy as np
import pandas as pd
import timm
import torch
import torch.nn.functional as F
from sklearn.model_selection import StratifiedKFold
from torch.utils.data import DataLoader, Subset
from lesions import Lesions

DEVICE = "cuda"
table = pd.read_csv("train.csv")
dataset, test_set = Lesions(table, "train"), Lesions(pd.read_csv("test.csv"), "test")


def fit(model, idx, epochs=12):
    loader = DataLoader(Subset(dataset, idx), 12, shuffle=True, num_workers=4)
    opt = torch.optim.AdamW(model.parameters(), 3e-4)
    for _ in range(epochs):
        model.train()
        for x, y in loader:
            loss = F.binary_cross_entropy_with_logits(model(x.to(DEVICE)).squeeze(1), y.float().to(DEVICE))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()


@torch.no_grad()
def scores(model, ds):
    model.eval()
    parts = [torch.sigmoid(model(x.to(DEVICE))).squeeze(1).cpu() for x, _ in DataLoader(ds, 32)]
    return torch.cat(parts).numpy()


models, oof = [], np.zeros(len(table))
for fold, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=7).split(table, table.target)):
    model = timm.create_model("tf_efficientnet_b7_ns", pretrained=True, num_classes=1).to(DEVICE)
    fit(model, tr)
    oof[va] = scores(model, Subset(dataset, va))
    models.append(model)
    print(fold, ((oof[va] > 0.5) == table.target.values[va]).mean())
pd.DataFrame({"score": np.mean([scores(m, test_set) for m in models], 0)}).to_csv("sub.csv")
