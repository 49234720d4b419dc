from collections import defaultdict

import torch
from pose import Keypoints, SimpleBaseline


class Mean:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def add(self, value, n=1):
        if torch.is_tensor(value):
            value = value.detach()
        self.total += value * n
        self.count += n

    @property
    def value(self):
        return float(self.total) / max(1, self.count)


class Board:
    def __init__(self):
        self.means = defaultdict(Mean)
        self.last = {}

    def note(self, **entries):
        for k, v in entries.items():
            self.last[k] = float(v)
            self.means[k].add(v)


def epoch(net, dl, opt, board):
    mse = torch.nn.MSELoss()
    for img, heat in dl:
        loss = mse(net(img.cuda()), heat.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        board.note(loss=loss)
        board.means["again"].add(loss, img.size(0))


net = SimpleBaseline(17).cuda()
board = Board()
for e in range(210):
    epoch(net, Keypoints("train", 32), torch.optim.Adam(net.parameters(), 1e-3), board)
    print(e, board.means["loss"].value, board.last["loss"])
