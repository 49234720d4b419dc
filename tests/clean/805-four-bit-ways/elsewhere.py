import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig


def four_bit(double=True):
    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=double,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )


def load(name="meta-llama/Llama-3.1-8B-Instruct"):
    config = four_bit()
    return AutoModelForCausalLM.from_pretrained(name, quantization_config=config, device_map={"": 0})


model = load()
