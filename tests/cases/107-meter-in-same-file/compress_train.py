import torch
from compressai.zoo import bmshj2018_hyperprior
from patches import patch_loader


class AverageMeter:
    """Running value, sum and mean."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.val = 0
        self.avg = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


class RateDistortion(torch.nn.Module):
    def __init__(self, lmbda=0.01):
        super().__init__()
        self.mse, self.lmbda = torch.nn.MSELoss(), lmbda

    def forward(self, out, target):
        pixels = target.size(0) * target.size(2) * target.size(3)
        bpp = sum(-torch.log2(p).sum() / pixels for p in out["likelihoods"].values())
        mse = self.mse(out["x_hat"], target)
        return {"bpp": bpp, "mse": mse, "loss": self.lmbda * 255**2 * mse + bpp}


def train_one_epoch(net, crit, loader, opt, device="cuda"):
    net.train()
    loss_meter, bpp_meter, psnr_meter = AverageMeter(), AverageMeter(), AverageMeter()
    for i, d in enumerate(loader):
        d = d.to(device)
        opt.zero_grad()
        res = crit(net(d), d)
        res["loss"].backward()
        opt.step()
        loss_meter.update(res["loss"])
        bpp_meter.update(res["bpp"], d.size(0))
        psnr_meter.update(res["mse"].item())
        if i % 100 == 0:
            print(i, float(loss_meter.avg), float(bpp_meter.avg), psnr_meter.avg)


if __name__ == "__main__":
    model = bmshj2018_hyperprior(quality=3).cuda()
    adam = torch.optim.Adam(model.parameters(), 1e-4)
    for _ in range(100):
        train_one_epoch(model, RateDistortion(), patch_loader(256, 16), adam)
