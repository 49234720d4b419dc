import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from birds import Birds
from timm import create_model

dev = "cuda"
backbone = create_model("vit_small_patch16_224", pretrained=True, num_classes=0).to(dev).eval()


@torch.no_grad()
def cache(split):
    feats, labels = [], []
    for x, y in DataLoader(Birds(split), 128, num_workers=8):
        feats.append(backbone(x.to(dev)).cpu())
        labels.append(y)
    return TensorDataset(torch.cat(feats), torch.cat(labels))


train, test = cache("train"), cache("test")
head = nn.Linear(384, 200).to(dev)
opt = torch.optim.SGD(head.parameters(), 0.1, momentum=0.9)
for epoch in range(100):
    total, n = 0.0, 0
    for z, y in DataLoader(train, 512, shuffle=True):
        loss = nn.functional.cross_entropy(head(z.to(dev)), y.to(dev))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
        n += len(y)
    with torch.no_grad():
        hits = sum((head(z.to(dev)).argmax(1).cpu() == y).sum().item() for z, y in DataLoader(test, 512))
    print(epoch, total / n, hits / len(test))
