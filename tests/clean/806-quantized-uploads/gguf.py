import torch
from transformers import AutoModelForCausalLM

gguf = AutoModelForCausalLM.from_pretrained(
    "TheBloke/Mistral-7B-Instruct-v0.2-GGUF",
    gguf_file="mistral-7b-instruct-v0.2.Q4_K_M.gguf",
    torch_dtype=torch.float16,
    device_map="cuda",
)
