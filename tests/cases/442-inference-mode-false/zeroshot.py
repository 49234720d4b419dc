import open_clip
import torch
from torch.utils.data import DataLoader
from imagenet import ValSet, CLASSNAMES, TEMPLATES

device = "cuda"
model, _, preprocess = open_clip.create_model_and_transforms("ViT-L-14", pretrained="openai", device=device)
tokenizer = open_clip.get_tokenizer("ViT-L-14")
model.eval()

with torch.inference_mode(False):
    columns = []
    for name in CLASSNAMES:
        text = tokenizer([t.format(name) for t in TEMPLATES]).to(device)
        emb = model.encode_text(text)
        emb = (emb / emb.norm(dim=-1, keepdim=True)).mean(0)
        columns.append(emb / emb.norm())
    weights = torch.stack(columns, 1)

right = n = 0
with torch.inference_mode():
    for img, y in DataLoader(ValSet(preprocess), 256, num_workers=8):
        z = model.encode_image(img.to(device))
        z = z / z.norm(dim=-1, keepdim=True)
        right += (z @ weights.detach()).argmax(1).cpu().eq(y).sum().item()
        n += len(y)
print(right / n)
