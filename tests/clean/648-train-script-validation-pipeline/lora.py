import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL, DDPMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from peft import LoraConfig
from transformers import CLIPTextModel
from tapestry import batches

NAME = "stable-diffusion-v1-5/stable-diffusion-v1-5"
accelerator = Accelerator(mixed_precision="fp16")
unet = UNet2DConditionModel.from_pretrained(NAME, subfolder="unet")
vae = AutoencoderKL.from_pretrained(NAME, subfolder="vae").to(accelerator.device, dtype=torch.float16)
text = CLIPTextModel.from_pretrained(NAME, subfolder="text_encoder").to(accelerator.device, dtype=torch.float16)
noise_scheduler = DDPMScheduler.from_pretrained(NAME, subfolder="scheduler")
for part in (unet, vae, text):
    part.requires_grad_(False)
unet.add_adapter(LoraConfig(r=8, target_modules=["to_k", "to_q", "to_v", "to_out.0"]))
unet.enable_gradient_checkpointing()
opt = torch.optim.AdamW([p for p in unet.parameters() if p.requires_grad], lr=1e-4)
unet, opt = accelerator.prepare(unet, opt)
for step, (pixels, ids) in enumerate(batches()):
    latents = vae.encode(pixels.to(vae.device, torch.float16)).latent_dist.sample() * vae.config.scaling_factor
    noise = torch.randn_like(latents)
    when = torch.randint(0, 1000, (len(latents),), device=latents.device)
    guess = unet(noise_scheduler.add_noise(latents, noise, when), when, text(ids.to(text.device))[0]).sample
    loss = torch.nn.functional.mse_loss(guess.float(), noise.float())
    accelerator.backward(loss)
    opt.step()
    opt.zero_grad()
    if step % 500 == 0:
        pipe = StableDiffusionPipeline.from_pretrained(NAME, unet=accelerator.unwrap_model(unet), vae=vae, text_encoder=text)
        pipe = pipe.to(accelerator.device)
        pipe.set_progress_bar_config(disable=True)
        with torch.autocast("cuda"):
            pipe("a tapestry of geese").images[0].save(f"{step}.png")
        del pipe
