import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct", torch_dtype="auto", device_map="cuda")
half = AutoModelForCausalLM.from_pretrained("openai-community/gpt2", torch_dtype=torch.float16).cuda()


def larger():
    return AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1").half().cuda()
