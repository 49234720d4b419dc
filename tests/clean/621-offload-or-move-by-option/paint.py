import argparse
import torch
from diffusers import StableDiffusionXLPipeline

parser = argparse.ArgumentParser()
parser.add_argument("prompt")
parser.add_argument("--offload", choices=["none", "model", "sequential"], default="none")
options = parser.parse_args()

pipe = StableDiffusionXLPipeline.from_pretrained(
    "stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16, variant="fp16"
)
if options.offload == "model":
    pipe.enable_model_cpu_offload()
elif options.offload == "sequential":
    pipe.enable_sequential_cpu_offload()
else:
    pipe.to("cuda")
pipe(options.prompt, num_inference_steps=30).images[0].save("out.png")
