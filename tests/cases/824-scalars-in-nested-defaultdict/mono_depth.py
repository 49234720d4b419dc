from collections import defaultdict
import torch
import torch.nn.functional as F
from kitti import Sequences
from monodepth import DepthNet, PoseNet, warp


class Logbook:
    def __init__(self):
        self.rows = defaultdict(lambda: defaultdict(list))

    def write(self, phase, terms):
        for key, value in terms.items():
            self.rows[phase][key].append(value)

    def last(self, phase):
        return {k: float(v[-1]) for k, v in self.rows[phase].items()}


class Learner:
    def __init__(self, scales=4, device="cuda"):
        self.scales, self.device = range(scales), torch.device(device)
        self.depth, self.pose = DepthNet(scales).to(device), PoseNet().to(device)
        params = [*self.depth.parameters(), *self.pose.parameters()]
        self.opt = torch.optim.Adam(params, 1e-4)
        self.book = Logbook()
        self.best = float("inf")

    def losses(self, batch):
        disp, pose = self.depth(batch["frame"]), self.pose(batch["pair"])
        out = {}
        for s in self.scales:
            d = F.interpolate(disp[s], scale_factor=2**s, mode="bilinear")
            err = (warp(batch["next"], d, pose, batch["K"]) - batch["frame"]).abs().mean()
            smooth = (d[..., 1:] - d[..., :-1]).abs().mean()
            out[f"photo/{s}"], out[f"smooth/{s}"] = err, 1e-3 * smooth / 2**s
        return out

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            for batch in loader:
                batch = {k: v.to(self.device) for k, v in batch.items()}
                terms = self.losses(batch)
                total = sum(terms.values())
                self.opt.zero_grad()
                total.backward()
                self.opt.step()
                self.book.write("train", terms)
            print(epoch, self.book.last("train"))


if __name__ == "__main__":
    Learner().fit(torch.utils.data.DataLoader(Sequences("/data/kitti"), 12, shuffle=True), 20)
