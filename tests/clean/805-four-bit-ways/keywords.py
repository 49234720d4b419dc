import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

options = {"device_map": "cuda:0", "torch_dtype": torch.bfloat16}
options["quantization_config"] = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct", **options)
