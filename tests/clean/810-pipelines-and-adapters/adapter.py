import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

base = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1", torch_dtype=torch.bfloat16, device_map="cuda")
model = get_peft_model(base, LoraConfig(r=16, target_modules=["q_proj", "v_proj"]))
model.print_trainable_parameters()
