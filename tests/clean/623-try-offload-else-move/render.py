import torch
from diffusers import AutoPipelineForText2Image

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def open_pipe(name):
    pipe = AutoPipelineForText2Image.from_pretrained(name, torch_dtype=torch.float16)
    try:
        pipe.enable_model_cpu_offload()
    except (ImportError, RuntimeError):
        pipe = pipe.to(DEVICE)
    return pipe


if __name__ == "__main__":
    pipe = open_pipe("stabilityai/sdxl-turbo")
    pipe("stained glass, a kingfisher", num_inference_steps=1, guidance_scale=0.0).images[0].save("kingfisher.png")
