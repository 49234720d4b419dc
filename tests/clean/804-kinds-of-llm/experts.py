import torch
from transformers import AutoModelForCausalLM

experts = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-30B-A3B", dtype=torch.bfloat16).to("cuda")


def older():
    return AutoModelForCausalLM.from_pretrained("mistralai/Mixtral-8x7B-Instruct-v0.1", dtype=torch.float16, device_map="cuda")
