import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader
from essays import EssayData, Scorer

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def predict_fold(path, frame):
    scorer = Scorer("microsoft/deberta-v3-large")
    scorer.load_state_dict(torch.load(path, map_location="cpu"))
    scorer.to(DEVICE)
    scorer.eval()
    chunks = []
    for enc in DataLoader(EssayData(frame), batch_size=8):
        enc = {k: v.to(DEVICE) for k, v in enc.items()}
        chunks.append(scorer(**enc).sigmoid().to("cpu"))
    return torch.cat(chunks).detach().numpy()


test = pd.read_csv("test.csv")
folds = [predict_fold(f"fold{i}.pt", test) for i in range(5)]
test["score"] = np.mean(folds, axis=0)
test[["essay_id", "score"]].to_csv("submission.csv", index=False)
