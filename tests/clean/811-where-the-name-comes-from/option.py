import argparse
import torch
from transformers import AutoModelForCausalLM

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="microsoft/phi-2")
parser.add_argument("--tokens", type=int, default=64)
options = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(options.model, torch_dtype=torch.float16, device_map="cuda")
