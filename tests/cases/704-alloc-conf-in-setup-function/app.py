import logging
import os

import gradio as gr
import torch
from diffusers import AutoPipelineForText2Image

log = logging.getLogger("studio")


def setup():
    torch.backends.cuda.matmul.allow_tf32 = True
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    log.info("environment ready")


def load():
    return AutoPipelineForText2Image.from_pretrained("stabilityai/sdxl-turbo", torch_dtype=torch.float16).to("cuda")


def draw(prompt):
    return pipe(prompt, num_inference_steps=2, guidance_scale=0.0).images[0]


setup()
pipe = load()
gr.Interface(draw, "text", "image").launch()
