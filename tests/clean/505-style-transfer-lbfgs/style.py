import torch
import torch.nn.functional as F
from torchvision.models import vgg19
from pics import load, save

device = "cuda"
vgg = vgg19(weights="DEFAULT").features.to(device).eval()
for p in vgg.parameters():
    p.requires_grad_(False)
STYLE, CONTENT = {0, 5, 10, 19, 28}, {21}


def features(x):
    out = {}
    for i, layer in enumerate(vgg):
        x = layer(x)
        if i in STYLE | CONTENT:
            out[i] = x
    return out


def gram(f):
    b, c, h, w = f.shape
    m = f.view(b * c, h * w)
    return m @ m.t() / f.numel()


content, style = load("city.jpg").to(device), load("waves.jpg").to(device)
want_c, want_s = features(content), {k: gram(v) for k, v in features(style).items() if k in STYLE}
img = content.clone().requires_grad_(True)
opt = torch.optim.LBFGS([img])
curve = []
while len(curve) < 300:

    def closure():
        opt.zero_grad()
        feats = features(img.clamp(0, 1))
        loss = 0
        for k in STYLE:
            loss = loss + 1e6 * F.mse_loss(gram(feats[k]), want_s[k])
        for k in CONTENT:
            loss += F.mse_loss(feats[k], want_c[k])
        loss.backward()
        curve.append(loss.item())
        return loss

    opt.step(closure)
save(img.detach().clamp(0, 1).cpu(), "out.png")
