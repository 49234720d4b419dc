import argparse
import torch
from diffusers import DPMSolverMultistepScheduler, StableDiffusionXLPipeline

parser = argparse.ArgumentParser()
parser.add_argument("prompt")
parser.add_argument("--low-memory", action="store_true")
args = parser.parse_args()

pipe = StableDiffusionXLPipeline.from_pretrained(
    "stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16, variant="fp16"
)
if not args.low_memory:
    pipe = pipe.to("cuda")
pipe.scheduler = DPMSolverMultistepScheduler.from_config(pipe.scheduler.config)
if args.low_memory:
    pipe.enable_model_cpu_offload()
    pipe.vae.enable_tiling()
pipe(args.prompt).images[0].save("out.png")
