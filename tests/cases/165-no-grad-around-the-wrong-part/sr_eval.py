import torch
from math import log10
from srnet import Generator, div2k

gen = Generator(4).cuda()
opt = torch.optim.Adam(gen.parameters(), 1e-4)
mse = torch.nn.MSELoss()
for epoch in range(100):
    gen.train()
    for low, high in div2k("train", 16):
        loss = mse(gen(low.cuda()), high.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    gen.eval()
    psnr = []
    for low, high in div2k("valid", 1):
        with torch.no_grad():
            low, high = low.cuda(), high.cuda()
        sr = gen(low)
        with torch.no_grad():
            psnr.append(10 * log10(1 / mse(sr, high).item()))
    print(epoch, sum(psnr) / len(psnr))
