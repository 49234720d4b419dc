from __future__ import annotations
import torch
from torch.utils.data import DataLoader
from hair import MattingNet, VideoMatte, grad_error


class Results:
    def __init__(self, names):
        self.values: dict[str, object] = {n: 0 for n in names}
        self.frames = []

    def feed(self, name, pred, true):
        match name:
            case "sad":
                self.values[name] += (pred - true).abs().sum() / 1000
            case "grad":
                self.values[name] += grad_error(pred.detach().cpu().numpy(), true.cpu().numpy())
            case "preview" if len(self.frames) < 16:
                self.frames.append(pred[0])
            case _:
                pass


def validate(net, loader, names=("sad", "grad", "preview")):
    net.eval()
    res = Results(names)
    for img, alpha in loader:
        img, alpha = img.cuda(), alpha.cuda()
        out = net(img)
        for n in names:
            res.feed(n, out, alpha)
    net.train()
    return {k: float(v) / len(loader) for k, v in res.values.items()}, res.frames


if __name__ == "__main__":
    net = MattingNet("resnet50").cuda()
    net.load_state_dict(torch.load("matting.pt", map_location="cpu"))
    scores, _ = validate(net, DataLoader(VideoMatte("test"), 1))
    print(scores)
