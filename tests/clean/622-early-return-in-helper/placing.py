import torch
from diffusers import FluxPipeline


def place(pipe, low_memory):
    if low_memory:
        pipe.enable_sequential_cpu_offload()
        return pipe
    return pipe.to("cuda")


def main(low_memory=True):
    pipe = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-schnell", torch_dtype=torch.bfloat16)
    pipe = place(pipe, low_memory)
    image = pipe("a heron of folded paper", num_inference_steps=4, guidance_scale=0.0).images[0]
    image.save("heron.png")


if __name__ == "__main__":
    main()
