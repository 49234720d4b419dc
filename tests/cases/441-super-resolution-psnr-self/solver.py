import math
import os
import torch
import torch.nn as nn
import torch.optim as optim
from carn import CARN, div2k, benchmark


class Solver:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.refiner = CARN(scale=cfg.scale).to(self.device)
        self.optim = optim.Adam(filter(lambda p: p.requires_grad, self.refiner.parameters()), cfg.lr)
        self.loss_fn = nn.L1Loss()
        self.psnr_total, self.step = 0, 0

    def fit(self):
        net = nn.DataParallel(self.refiner, device_ids=range(self.cfg.num_gpu))
        while self.step < self.cfg.max_steps:
            for hr, lr in div2k(self.cfg.scale, self.cfg.patch):
                sr = net(lr.to(self.device))
                loss = self.loss_fn(sr, hr.to(self.device))
                self.optim.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.refiner.parameters(), 10.0)
                self.optim.step()
                self.step += 1
                if self.step % self.cfg.print_every == 0:
                    print(self.step, self.evaluate("Urban100"))
                    torch.save(self.refiner.state_dict(), os.path.join(self.cfg.out, f"{self.step}.pth"))

    def evaluate(self, name):
        self.refiner.eval()
        self.psnr_total = 0
        images = benchmark(name, self.cfg.scale)
        for hr, lr in images:
            sr = self.refiner(lr.unsqueeze(0).to(self.device))
            err = (sr.clamp(0, 1) - hr.unsqueeze(0).to(self.device)).pow(2).mean()
            self.psnr_total += -10 * torch.log10(err)
        self.refiner.train()
        return self.psnr_total / len(images)
