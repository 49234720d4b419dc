import gc
import numpy as np
import timm
import torch
import torch.nn.functional as F
from lesions import fold_loaders, test_loader


def train(model, loader, epochs=10):
    opt = torch.optim.AdamW(model.parameters(), 3e-4)
    model.train()
    for _ in range(epochs):
        for x, y in loader:
            loss = F.cross_entropy(model(x.cuda()), y.cuda())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()


@torch.no_grad()
def predict(model, loader):
    model.eval()
    return np.concatenate([model(x.cuda()).softmax(1).cpu().numpy() for x, _ in loader])


paths, scores = [], []
for fold in range(5):
    tr, va = fold_loaders(fold)
    model = timm.create_model("tf_efficientnet_b5_ns", pretrained=True, num_classes=9).cuda()
    train(model, tr)
    scores.append(predict(model, va))
    paths.append(f"fold{fold}.pt")
    torch.save(model.state_dict(), paths[-1])
    del model
    gc.collect()
    torch.cuda.empty_cache()
np.save("oof.npy", np.concatenate(scores))
