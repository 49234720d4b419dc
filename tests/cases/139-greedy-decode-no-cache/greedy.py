import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

name = "Qwen/Qwen2.5-1.5B"
tok = AutoTokenizer.from_pretrained(name)
lm = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).to("cuda")
lm.eval()


def complete(prompt, budget=256):
    ids = tok(prompt, return_tensors="pt").input_ids.to("cuda")
    for _ in range(budget):
        scores = lm(ids).logits[:, -1]
        pick = scores.argmax(-1, keepdim=True)
        ids = torch.cat([ids, pick], dim=1)
        if pick.item() == tok.eos_token_id:
            break
    return tok.decode(ids[0])


for line in open("prompts.txt"):
    print(complete(line.strip()))
