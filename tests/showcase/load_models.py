"""Writes a prompt with a language model and paints it: rest on a model's name to see what it needs."""

import torch
from diffusers import FluxPipeline
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

WRITER = "mistralai/Mistral-7B-Instruct-v0.3"


def write(subject):
    tokenizer = AutoTokenizer.from_pretrained(WRITER)
    four_bit = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
    model = AutoModelForCausalLM.from_pretrained(
        WRITER, torch_dtype=torch.bfloat16, quantization_config=four_bit, device_map="cuda"
    )
    question = tokenizer(f"Describe a painting of {subject}.", return_tensors="pt").to("cuda")
    answer = model.generate(**question, max_new_tokens=64)
    return tokenizer.decode(answer[0], skip_special_tokens=True)


def paint(prompt):
    pipeline = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-dev", torch_dtype=torch.bfloat16)
    pipeline.enable_model_cpu_offload()
    return pipeline(prompt, num_inference_steps=28).images[0]


if __name__ == "__main__":
    paint(write("a lighthouse in winter")).save("lighthouse.png")
