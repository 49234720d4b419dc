import torch
from diffusers import AutoPipelineForImage2Image, AutoPipelineForText2Image

draw = AutoPipelineForText2Image.from_pretrained(
    "stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16, variant="fp16"
)
draw.enable_model_cpu_offload()
sketch = draw("a harbour, charcoal").images[0]
change = AutoPipelineForImage2Image.from_pipe(draw)
change.enable_model_cpu_offload()
change("a harbour, watercolour", image=sketch, strength=0.6).images[0].save("harbour.png")
