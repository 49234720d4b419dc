import math
import sys
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

name = sys.argv[1] if len(sys.argv) > 1 else "EleutherAI/pythia-410m"
tok = AutoTokenizer.from_pretrained(name)
lm = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float16).to("cuda").eval()


def nlls(path, width=1024):
    for line in open(path):
        ids = tok(line, return_tensors="pt", truncation=True, max_length=width).input_ids.to("cuda")
        yield lm(ids, labels=ids).loss * (ids.size(1) - 1), ids.size(1) - 1


total, count = 0.0, 0
for nll, n in nlls("heldout.txt"):
    total = total + nll
    count += n
print(f"perplexity {math.exp(total / count):.2f}")
