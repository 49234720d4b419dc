import torch
from transformers import pipeline

chat = pipeline("text-generation", model="Qwen/Qwen2.5-1.5B-Instruct", torch_dtype=torch.bfloat16, device=0)
print(chat([{"role": "user", "content": "hello"}])[0]["generated_text"])
