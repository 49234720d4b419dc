import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import AutoencoderKL, DDPMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from transformers import CLIPTextModel
from pokemon import loader

REPO = "runwayml/stable-diffusion-v1-5"
acc = Accelerator(mixed_precision="fp16", gradient_accumulation_steps=4)
unet = UNet2DConditionModel.from_pretrained(REPO, subfolder="unet")
vae = AutoencoderKL.from_pretrained(REPO, subfolder="vae").to(acc.device, torch.float16)
text = CLIPTextModel.from_pretrained(REPO, subfolder="text_encoder").to(acc.device, torch.float16)
vae.requires_grad_(False)
text.requires_grad_(False)
noise_sched = DDPMScheduler.from_pretrained(REPO, subfolder="scheduler")
opt = torch.optim.AdamW(unet.parameters(), 1e-5)
unet, opt, dl = acc.prepare(unet, opt, loader(4))
train_loss = 0.0
for step, batch in enumerate(dl):
    with acc.accumulate(unet):
        lat = vae.encode(batch["pixels"].half()).latent_dist.sample() * vae.config.scaling_factor
        noise = torch.randn_like(lat)
        t = torch.randint(0, 1000, (len(lat),), device=lat.device)
        pred = unet(noise_sched.add_noise(lat, noise, t), t, text(batch["ids"])[0]).sample
        loss = F.mse_loss(pred.float(), noise.float())
        avg = acc.gather(loss.repeat(4)).mean()
        train_loss += avg.item() / 4
        acc.backward(loss)
        opt.step()
        opt.zero_grad()
    if step % 500 == 0 and acc.is_main_process:
        pipe = StableDiffusionPipeline.from_pretrained(REPO, unet=acc.unwrap_model(unet), vae=vae, text_encoder=text)
        shots = [pipe("a green dragon", num_inference_steps=30).images[0] for _ in range(4)]
        for i, im in enumerate(shots):
            im.save(f"val/{step}_{i}.png")
        del pipe
    acc.log({"loss": train_loss}, step=step)
    train_loss = 0.0
