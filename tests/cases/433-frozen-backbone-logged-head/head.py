import torch
from torch import nn
from transformers import CLIPVisionModel
from rooms import RoomSet, room_loader


class Scorer(nn.Module):
    def __init__(self, repo="openai/clip-vit-base-patch32", n=8):
        super().__init__()
        self.vision = CLIPVisionModel.from_pretrained(repo)
        self.vision.requires_grad_(False)
        self.cls = nn.Sequential(nn.Linear(768, 512), nn.GELU(), nn.Linear(512, n))
        self.rank = nn.Sequential(nn.Linear(768, 512), nn.GELU(), nn.Linear(512, 1))

    def forward(self, pix):
        with torch.no_grad():
            f = self.vision(pixel_values=pix).pooler_output
        return self.cls(f), self.rank(f).squeeze(-1)


model = Scorer().to("cuda:0")
opt = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3)
meters = dict(loss=0.0, margin=0.0, n=0)
for epoch in range(10):
    for pix, y in room_loader("train", 256):
        pix, y = pix.to("cuda:0"), y.to("cuda:0")
        logits, order = model(pix)
        loss = nn.functional.cross_entropy(logits, y)
        gap = (order[1:] - order[:-1]).abs().mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        meters["loss"] += loss.item() * len(y)
        meters["margin"] += gap * len(y)
        meters["n"] += len(y)
    print(epoch, meters["loss"] / meters["n"], float(meters["margin"]) / meters["n"])
