import torch
from monai.losses import DiceCELoss
from monai.networks.nets import SwinUNETR
from ct import Volumes, grid

net = SwinUNETR(in_channels=1, out_channels=3, feature_size=48).cuda()
opt = torch.optim.AdamW(net.parameters(), 1e-4)
scaler = torch.amp.GradScaler()
criterion = DiceCELoss(to_onehot_y=True, softmax=True)
for epoch in range(300):
    for vol, seg in Volumes("/data/liver"):
        corners = list(grid(vol.shape, 96, stride=64))
        opt.zero_grad(set_to_none=True)
        total = 0.0
        for z, y, x in corners:
            cut = (..., slice(z, z + 96), slice(y, y + 96), slice(x, x + 96))
            with torch.autocast("cuda"):
                loss = criterion(net(vol[cut].cuda()), seg[cut].cuda()) / len(corners)
            scaler.scale(loss).backward()
            total += loss.item()
        scaler.step(opt)
        scaler.update()
        print(epoch, total)
