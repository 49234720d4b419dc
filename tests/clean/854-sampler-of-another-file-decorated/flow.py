import torch
import torch.nn.functional as F
from torchvision.utils import save_image
from sampling import sample
from sprites import Sprites, UNet

net = UNet(3, 128).cuda()
opt = torch.optim.AdamW(net.parameters(), 2e-4)
for epoch in range(100):
    for step, x in enumerate(torch.utils.data.DataLoader(Sprites("/data/sprites"), 128, shuffle=True)):
        x = x.cuda()
        noise, t = torch.randn_like(x), torch.rand(len(x), device="cuda")
        mix = (1 - t.view(-1, 1, 1, 1)) * x + t.view(-1, 1, 1, 1) * noise
        loss = F.mse_loss(net(mix, t), noise - x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    save_image(sample(net, (64, 3, 64, 64), 100, "cuda"), f"{epoch}.png")
    print(epoch, loss.item())
