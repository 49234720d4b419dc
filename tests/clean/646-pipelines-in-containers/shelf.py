import torch
from diffusers import AutoPipelineForText2Image, StableDiffusionUpscalePipeline

shelf = {
    "fast": AutoPipelineForText2Image.from_pretrained("stabilityai/sdxl-turbo", torch_dtype=torch.float16),
    "large": StableDiffusionUpscalePipeline.from_pretrained("stabilityai/stable-diffusion-x4-upscaler", torch_dtype=torch.float16),
}
shelf["fast"].to("cuda")
shelf["large"].enable_sequential_cpu_offload()
image = shelf["fast"]("a wharf", num_inference_steps=1, guidance_scale=0.0).images[0]
shelf["large"]("a wharf", image=image.resize((128, 128))).images[0].save("wharf.png")
