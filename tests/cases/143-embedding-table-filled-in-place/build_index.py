import torch
from transformers import AutoModel, AutoTokenizer
from passages import read_passages

tok = AutoTokenizer.from_pretrained("facebook/contriever")
enc = AutoModel.from_pretrained("facebook/contriever").cuda()
texts = read_passages("psgs.tsv")
BS = 128
table = torch.zeros(len(texts), 768, device="cuda")


def pool(hidden, mask):
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


enc.eval()
for i in range(0, len(texts), BS):
    b = tok(texts[i : i + BS], padding=True, truncation=True, max_length=256, return_tensors="pt").to("cuda")
    h = enc(**b).last_hidden_state
    table[i : i + BS] = pool(h, b["attention_mask"])
torch.save(table.detach().half().cpu(), "index.pt")
