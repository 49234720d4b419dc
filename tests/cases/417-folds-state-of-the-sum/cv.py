import gc
import pandas as pd
import torch
from sklearn.model_selection import KFold
from transformers import get_cosine_schedule_with_warmup
from essays import EssayModel, make_loader


class CFG:
    epochs = 4
    lr = 2e-5
    bs = 8
    device = torch.device("cuda")


def train_fn(model, loader, opt, sched):
    model.train()
    for enc, y in loader:
        enc = {k: v.to(CFG.device) for k, v in enc.items()}
        loss = torch.nn.functional.smooth_l1_loss(model(**enc), y.to(CFG.device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1000)
        opt.step()
        sched.step()
        opt.zero_grad()


def valid_fn(model, loader):
    model.eval()
    mcrmse = 0.0
    for enc, y in loader:
        enc = {k: v.to(CFG.device) for k, v in enc.items()}
        out = model(**enc)
        mcrmse = mcrmse + torch.sqrt(((out - y.to(CFG.device)) ** 2).mean(0)).mean() * len(y)
    return mcrmse / len(loader.dataset)


train = pd.read_csv("train.csv")
fold_scores = {}
for fold, (i, j) in enumerate(KFold(5, shuffle=True, random_state=42).split(train)):
    model = EssayModel("microsoft/deberta-v3-base").to(CFG.device)
    opt = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
    tl, vl = make_loader(train.iloc[i], CFG.bs), make_loader(train.iloc[j], CFG.bs * 2)
    sched = get_cosine_schedule_with_warmup(opt, 0, len(tl) * CFG.epochs)
    best = 9e9
    for epoch in range(CFG.epochs):
        train_fn(model, tl, opt, sched)
        best = min(best, valid_fn(model, vl).item())
    fold_scores[fold] = best
    del model, opt, sched
    gc.collect()
    torch.cuda.empty_cache()
print(fold_scores)
