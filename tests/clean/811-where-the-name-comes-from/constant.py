import torch
from transformers import AutoModelForCausalLM

ORG, SIZE = "meta-llama", 13
NAME = f"{ORG}/Llama-2-{SIZE}b-chat-hf"
DTYPE = torch.float16


def main():
    return AutoModelForCausalLM.from_pretrained(NAME, torch_dtype=DTYPE).to("cuda")


main()
