import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

tok = AutoTokenizer.from_pretrained("openai-community/gpt2")
model = AutoModelForCausalLM.from_pretrained("openai-community/gpt2").cuda().eval()
total = 0.0
with torch.no_grad():
    for line in open("sentences.txt"):
        ids = tok(line, return_tensors="pt").input_ids.cuda()
        total += model(ids, labels=ids).loss.item()
print(total)
