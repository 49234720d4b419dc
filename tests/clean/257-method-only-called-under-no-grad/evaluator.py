import torch
from torch import nn
from stereo import StereoNet, pairs


class Evaluator:
    def __init__(self, net, dev="cuda"):
        self.net, self.dev = net.to(dev).eval(), dev
        self.epe, self.count = 0.0, 0

    def _disparity(self, left, right):
        return self.net(left.to(self.dev), right.to(self.dev))

    def _add(self, disp, gold):
        self.epe += (disp - gold.to(self.dev)).abs().mean()
        self.count += 1

    def run(self, data):
        with torch.no_grad():
            for left, right, gold in data:
                self._add(self._disparity(left, right), gold)
        return (self.epe / self.count).item()


net = StereoNet()
net.load_state_dict(torch.load("stereo.pt", map_location="cpu"))
print(Evaluator(net).run(pairs("kitti", 1)))
