import torch
from transformers import GPT2LMHeadModel, GPT2TokenizerFast

tok = GPT2TokenizerFast.from_pretrained("gpt2")
model = GPT2LMHeadModel.from_pretrained("gpt2").to("cuda").eval()
ids = tok("The harbour", return_tensors="pt").input_ids.cuda()
with torch.no_grad():
    for _ in range(40):
        ids = torch.cat([ids, model(ids).logits[:, -1:].argmax(-1)], dim=1)
print(tok.decode(ids[0]))
