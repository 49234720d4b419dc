import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

base = AutoModelForCausalLM.from_pretrained("huggyllama/llama-7b", torch_dtype=torch.float16, device_map={"": 0})
print(base.config)


def attach():
    return PeftModel.from_pretrained(base, "gardeners/pruning-lora-7b")


attach()
