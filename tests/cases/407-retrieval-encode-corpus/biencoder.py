from dataclasses import dataclass, field
from typing import List
import torch
import torch.nn.functional as F
from transformers import AutoModel, AutoTokenizer


@dataclass
class Index:
    dim: int = 768
    vectors: List[torch.Tensor] = field(default_factory=list)
    keys: List[str] = field(default_factory=list)

    def add(self, vec, keys):
        self.vectors.append(vec)
        self.keys.extend(keys)

    def search(self, q, k=10):
        return (torch.cat(self.vectors) @ q.T).topk(k, dim=0).indices


class BiEncoder(torch.nn.Module):
    def __init__(self, repo="intfloat/e5-base"):
        super().__init__()
        self.tok, self.bert = AutoTokenizer.from_pretrained(repo), AutoModel.from_pretrained(repo)

    def embed(self, texts, device):
        enc = self.tok(texts, padding=True, truncation=True, return_tensors="pt").to(device)
        h = self.bert(**enc).last_hidden_state
        m = enc["attention_mask"].unsqueeze(-1)
        return F.normalize((h * m).sum(1) / m.sum(1), dim=-1)


def build(passages, device="cuda"):
    model = BiEncoder().to(device).eval()
    index = Index()
    for i in range(0, len(passages), 64):
        chunk = passages[i : i + 64]
        index.add(model.embed(["passage: " + p for p in chunk], device), chunk)
    return index
