import torch
from PIL import Image
from torchvision import models, transforms

vgg = models.vgg16(weights="IMAGENET1K_V1").features[:23].cuda().eval()
img = transforms.ToTensor()(Image.open("sky.jpg")).unsqueeze(0).cuda().requires_grad_(True)
for step in range(200):
    act = vgg(img)
    goal = act.norm()
    goal.backward()
    with torch.no_grad():
        g = img.grad
        img += 0.02 * g / (g.abs().mean() + 1e-8)
        img.grad.zero_()
    if step % 50 == 0:
        print(step, goal.item())
transforms.ToPILImage()(img.detach()[0].clamp(0, 1).cpu()).save("dream.png")
