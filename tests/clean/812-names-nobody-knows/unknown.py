import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("acme-internal/reporter-large-v4", torch_dtype=torch.bfloat16, device_map="cuda")
