import torch
from torch.nn import functional as F
from reviews import Reviews, TextCNN

device = torch.device("cuda")
model = TextCNN(40_000).to(device)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
loader = torch.utils.data.DataLoader(Reviews("train"), 8, shuffle=True)
ACCUM = 4

for epoch in range(5):
    group, shown = 0, 0.0
    optimizer.zero_grad()
    for i, (ids, y) in enumerate(loader, 1):
        group = group + F.cross_entropy(model(ids.to(device)), y.to(device)) / ACCUM
        if i % ACCUM == 0:
            group.backward()
            optimizer.step()
            optimizer.zero_grad()
            shown += group.item()
            group = 0
    print(epoch, shown)
