import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("acme-internal/reporter-13b", torch_dtype=torch.bfloat16).to("cuda")
