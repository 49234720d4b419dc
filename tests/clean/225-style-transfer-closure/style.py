import torch
from torch import nn, optim
from images import load, save
from vggfeat import Features, gram

feat = Features().cuda().eval()
content, style = load("city.jpg").cuda(), load("waves.jpg").cuda()
want_c = [f.detach() for f in feat(content)]
want_s = [gram(f).detach() for f in feat(style)]
pic = content.clone().requires_grad_(True)
opt = optim.LBFGS([pic])
run = [0]
while run[0] <= 300:

    def closure():
        opt.zero_grad()
        c_loss = s_loss = 0
        for f, c, s in zip(feat(pic), want_c, want_s):
            c_loss = c_loss + nn.functional.mse_loss(f, c)
            s_loss += nn.functional.mse_loss(gram(f), s)
        loss = c_loss + 1e6 * s_loss
        loss.backward()
        run[0] += 1
        if run[0] % 50 == 0:
            print(run[0], s_loss.item(), c_loss.item())
        return loss

    opt.step(closure)
save(pic.detach().cpu(), "out.png")
