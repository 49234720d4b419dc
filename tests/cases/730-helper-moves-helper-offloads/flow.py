import argparse
import torch
from diffusers import FluxPipeline


def load(name):
    pipe = FluxPipeline.from_pretrained(name, torch_dtype=torch.bfloat16)
    return pipe.to("cuda")

def slim(pipe):
    pipe.vae.enable_slicing()
    pipe.enable_model_cpu_offload()
    return pipe


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="black-forest-labs/FLUX.1-dev")
    pipe = slim(load(parser.parse_args().name))
    pipe("a loom", num_inference_steps=20).images[0].save("loom.png")


if __name__ == "__main__":
    main()
