import torch
import torch.nn.functional as F
from diffusers import DDIMScheduler, StableDiffusionPipeline
from nerf import Field, random_camera

pipe = StableDiffusionPipeline.from_pretrained("stabilityai/stable-diffusion-2-1-base", torch_dtype=torch.float16).to("cuda")
unet, vae = pipe.unet.requires_grad_(False), pipe.vae.requires_grad_(False)
sched = DDIMScheduler.from_config(pipe.scheduler.config)
alphas = sched.alphas_cumprod.to("cuda")
with torch.no_grad():
    text = torch.cat(pipe.encode_prompt("a bronze owl", "cuda", 1, True)[::-1])
field = Field().cuda()
opt = torch.optim.Adan(field.parameters(), 5e-3) if hasattr(torch.optim, "Adan") else torch.optim.Adam(field.parameters(), 1e-3)
curve = []
for it in range(10_000):
    img = field.render(random_camera(), 64)
    lat = vae.encode(F.interpolate(img, 512).half() * 2 - 1).latent_dist.sample() * 0.18215
    t = torch.randint(20, 980, (1,), device="cuda")
    with torch.no_grad():
        noise = torch.randn_like(lat)
        noisy = sched.add_noise(lat, noise, t)
        e0, e1 = unet(torch.cat([noisy] * 2), t, text).sample.chunk(2)
        grad = (1 - alphas[t]) * (e0 + 100 * (e1 - e0) - noise)
    opt.zero_grad()
    lat.backward(gradient=grad, retain_graph=False)
    opt.step()
    curve.append(grad.norm().item())
