import torch
from diffusers import StableDiffusion3Pipeline
from transformers import AutoModelForCausalLM, AutoTokenizer

tok = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct")
writer = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct", torch_dtype=torch.bfloat16)
writer.to("cuda")
pipe = StableDiffusion3Pipeline.from_pretrained("stabilityai/stable-diffusion-3-medium-diffusers", torch_dtype=torch.float16)
pipe.enable_model_cpu_offload()

ids = tok("Describe a market at dawn.", return_tensors="pt").to("cuda")
prompt = tok.decode(writer.generate(**ids, max_new_tokens=60)[0], skip_special_tokens=True)
pipe(prompt).images[0].save("market.png")
