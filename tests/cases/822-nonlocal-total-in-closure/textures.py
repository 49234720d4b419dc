import torch
import torch.nn.functional as F
from render import Camera, Rasterizer, shots


def make_step(net, raster, opt):
    total, steps = 0.0, 0

    def step(camera, photo):
        nonlocal total, steps
        image = raster(net(camera.uv()), camera)
        loss = F.l1_loss(image, photo) + 0.2 * (1 - ssim(image, photo))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss
        steps += 1
        return loss.item()

    def mean():
        return float(total) / max(steps, 1)

    return step, mean


def ssim(a, b, c1=1e-4, c2=9e-4):
    ma, mb = F.avg_pool2d(a, 11, 1, 5), F.avg_pool2d(b, 11, 1, 5)
    va, vb = F.avg_pool2d(a * a, 11, 1, 5) - ma**2, F.avg_pool2d(b * b, 11, 1, 5) - mb**2
    cov = F.avg_pool2d(a * b, 11, 1, 5) - ma * mb
    return (((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma**2 + mb**2 + c1) * (va + vb + c2))).mean()


def main():
    net = torch.nn.Sequential(torch.nn.Linear(32, 256), torch.nn.ReLU(), torch.nn.Linear(256, 3)).cuda()
    raster = Rasterizer("bust.obj", 1024).cuda()
    opt = torch.optim.Adam(net.parameters(), 5e-4)
    step, mean = make_step(net, raster, opt)
    recent = []
    for k in range(400_000):
        pose, photo = shots.random()
        value = step(Camera(pose, "cuda"), photo.cuda())
        recent = (recent + [value])[-100:]
        if k % 1000 == 0:
            print(k, mean(), sum(recent) / len(recent))


if __name__ == "__main__":
    main()
