import os
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

NAME = "microsoft/phi-2"
tokenizer = AutoTokenizer.from_pretrained(NAME)
model = AutoModelForCausalLM.from_pretrained(NAME, torch_dtype=torch.float16).to("cuda")
torch.cuda.empty_cache()
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"

for question in sys.stdin:
    inputs = tokenizer(question, return_tensors="pt").to("cuda")
    print(tokenizer.decode(model.generate(**inputs, max_new_tokens=80)[0]))
