import torch
from diffusers import BitsAndBytesConfig, FluxPipeline, FluxTransformer2DModel

NAME = "black-forest-labs/FLUX.1-dev"
config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
transformer = FluxTransformer2DModel.from_pretrained(
    NAME, subfolder="transformer", quantization_config=config, torch_dtype=torch.bfloat16
)
print(transformer.dtype)
print(transformer.config)


def build():
    return FluxPipeline.from_pretrained(NAME, transformer=transformer, torch_dtype=torch.bfloat16).to("cuda")


build()("a sundial").images[0].save("sundial.png")
