"""Trains an adapter on a language model, in a loop of its own."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B-Instruct", dtype=torch.bfloat16).to("cuda")
model.config.use_cache = False
model = get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

tokens = torch.randint(0, 151936, (4, 1024), device="cuda")
for step in range(100):
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
