import torch
from rays import RadianceField, pose_rays, ray_batches

field = RadianceField().cuda()
opt = torch.optim.Adam(field.parameters(), 5e-4)


def render(rays, chunk=4096):
    rgb = []
    for i in range(0, len(rays), chunk):
        rgb.append(field(rays[i : i + chunk]))
    return torch.cat(rgb)


def frame(pose):
    with torch.no_grad():
        return render(pose_rays(pose).cuda()).cpu().numpy()


for it, (rays, gold) in enumerate(ray_batches(1024)):
    err = (render(rays.cuda()) - gold.cuda()).square().mean()
    opt.zero_grad()
    err.backward()
    opt.step()
    if it % 10_000 == 0:
        movie = [frame(p) for p in torch.load("poses.pt")]
        psnr = -10 * torch.log10(err.detach()).item()
        print(it, psnr, len(movie))
