import torch
from diffusers import AutoModel, DiffusionPipeline

transformer = AutoModel.from_pretrained(
    "black-forest-labs/FLUX.1-dev", subfolder="transformer", device_map="auto", torch_dtype=torch.bfloat16
)
print(transformer.hf_device_map)
pipe = DiffusionPipeline.from_pretrained("black-forest-labs/FLUX.1-dev", device_map="balanced", torch_dtype=torch.bfloat16)
image = pipe("a clockwork beetle", num_inference_steps=28).images[0]
image.save("beetle.png")
pipe.reset_device_map()
pipe.enable_model_cpu_offload()
pipe("a clockwork moth").images[0].save("moth.png")
