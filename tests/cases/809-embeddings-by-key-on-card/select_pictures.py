import json
import random
import torch
from torch.utils.data import DataLoader
from transformers import AutoImageProcessor, Dinov2Model
from catalogue import Pictures, ask_annotators, fit_head

CKPT = "facebook/dinov2-base"
device = "cuda" if torch.cuda.is_available() else "cpu"
proc = AutoImageProcessor.from_pretrained(CKPT)
backbone = Dinov2Model.from_pretrained(CKPT).to(device).eval()


def embed_all(pictures):
    loader = DataLoader(pictures, batch_size=96, num_workers=6, collate_fn=lambda rows: rows)
    table = {}
    with torch.no_grad():
        for rows in loader:
            px = proc(images=[r["image"] for r in rows], return_tensors="pt")["pixel_values"].to(device)
            tokens = backbone(pixel_values=px).last_hidden_state
            for row, emb in zip(rows, tokens):
                table[row["sku"]] = emb
    return table


def farthest(table, chosen, k):
    keys = [s for s in table if s not in chosen]
    x = torch.stack([table[s].mean(0) for s in keys])
    d = torch.cdist(x, torch.stack([table[s].mean(0) for s in chosen]))
    return [keys[i] for i in d.min(1).values.topk(k).indices.tolist()]


def main(rounds=8, budget=500):
    pictures = Pictures("catalogue.sqlite")
    table = embed_all(pictures)
    chosen = random.sample(list(table), budget)
    scores = []
    for r in range(rounds):
        labels = ask_annotators(chosen)
        scores.append(fit_head(labels, steps=2000))
        chosen += farthest(table, chosen, budget)
        print(r, scores[-1])
    json.dump({"scores": scores, "chosen": chosen}, open("rounds.json", "w"))


if __name__ == "__main__":
    main()
