import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from torchvision.utils import make_grid, save_image
from sprites import SpriteLatents, text_states


def preview(unet, vae, scheduler, prompts, device, steps=50, scale=5.0):
    cond, uncond = text_states(prompts, device), text_states([""] * len(prompts), device)
    x = torch.randn(len(prompts), 4, 64, 64, device=device)
    scheduler.set_timesteps(steps)
    for t in scheduler.timesteps:
        noise = unet(torch.cat([x, x]), t, torch.cat([uncond, cond])).sample
        n0, n1 = noise.chunk(2)
        x = scheduler.step(n0 + scale * (n1 - n0), t, x).prev_sample
    images = vae.decode(x / 0.18215).sample
    return make_grid(images.clamp(-1, 1) * 0.5 + 0.5)


def main():
    acc = Accelerator(mixed_precision="fp16")
    unet = UNet2DConditionModel.from_config("unet-small.json")
    vae = AutoencoderKL.from_pretrained("stabilityai/sd-vae-ft-mse").to(acc.device)
    vae.requires_grad_(False)
    noise_scheduler = DDIMScheduler(num_train_timesteps=1000)
    opt = torch.optim.AdamW(unet.parameters(), 1e-4)
    loader = torch.utils.data.DataLoader(SpriteLatents("latents.h5"), 32, shuffle=True, num_workers=4)
    lr = get_cosine_schedule_with_warmup(opt, 500, 200_000)
    unet, opt, loader, lr = acc.prepare(unet, opt, loader, lr)
    step = 0
    for epoch in range(1000):
        for latents, text in loader:
            noise = torch.randn_like(latents)
            t = torch.randint(0, 1000, (latents.size(0),), device=latents.device)
            loss = F.mse_loss(unet(noise_scheduler.add_noise(latents, noise, t), t, text).sample, noise)
            acc.backward(loss)
            acc.clip_grad_norm_(unet.parameters(), 1.0)
            opt.step()
            lr.step()
            opt.zero_grad()
            step += 1
            if step % 2000 == 0 and acc.is_main_process:
                save_image(preview(unet, vae, noise_scheduler, ["a red knight", "a slime"], acc.device), f"p{step}.png")
                print(step, loss.item())


if __name__ == "__main__":
    main()
