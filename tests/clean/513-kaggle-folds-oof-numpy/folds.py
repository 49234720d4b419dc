import gc
import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from melanoma import EffNet, frame, loader

df = frame("train.csv")
oof = np.zeros(len(df))
scores = []
for fold, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=7).split(df, df.target)):
    model = EffNet("b3").cuda()
    opt = torch.optim.AdamW(model.parameters(), 2e-4)
    bce = torch.nn.BCEWithLogitsLoss()
    scaler = torch.cuda.amp.GradScaler()
    best = 0
    for epoch in range(8):
        model.train()
        avg_loss = 0.
        for x, y in loader(df.iloc[tr], True):
            with torch.cuda.amp.autocast():
                loss = bce(model(x.cuda()).squeeze(1), y.cuda().float())
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
            avg_loss += loss.item() / len(tr)
        model.eval()
        preds = []
        with torch.no_grad():
            for x, _ in loader(df.iloc[va], False):
                preds.append(model(x.cuda()).sigmoid().squeeze(1).cpu().numpy())
        preds = np.concatenate(preds)
        auc = roc_auc_score(df.target.iloc[va], preds)
        if auc > best:
            best, oof[va] = auc, preds
    scores.append(best)
    del model, opt
    gc.collect()
    torch.cuda.empty_cache()
print(scores, roc_auc_score(df.target, oof))
