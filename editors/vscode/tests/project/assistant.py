"""Answer a question, and draw a picture of the answer."""

import torch
from diffusers import FluxPipeline
from transformers import AutoModelForCausalLM, AutoTokenizer

NAME = "Qwen/Qwen2.5-7B-Instruct"

tokenizer = AutoTokenizer.from_pretrained(NAME)
writer = AutoModelForCausalLM.from_pretrained(NAME, dtype=torch.bfloat16)
writer.to("cuda")

painter = FluxPipeline.from_pretrained(
    "black-forest-labs/FLUX.1-dev", torch_dtype=torch.bfloat16
)
painter.enable_model_cpu_offload()

question = tokenizer("What does a GPU look like?", return_tensors="pt").to("cuda")
answer = tokenizer.decode(writer.generate(**question, max_new_tokens=60)[0])
painter(answer).images[0].save("answer.png")
