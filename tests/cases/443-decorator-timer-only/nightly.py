import functools
import time
import torch
from torch import nn
from torch.utils.data import DataLoader
from defects import Parts, build_net


def inference(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return fn(*args, **kwargs)
        finally:
            print(fn.__name__, f"{time.perf_counter() - start:.1f} s")

    return wrapper


@inference
def evaluate(net, loader, crit, dev):
    net.eval()
    loss_sum, worst = 0.0, []
    for x, y, name in loader:
        logits = net(x.to(dev))
        per_item = crit(logits, y.to(dev))
        loss_sum += per_item.sum()
        worst += [(l.item(), n) for l, n in zip(per_item, name)]
    worst.sort(reverse=True)
    return loss_sum / len(loader.dataset), worst[:50]


def main():
    dev = torch.device("cuda:0")
    net = build_net("convnext_tiny", 12)
    net.load_state_dict(torch.load("/models/latest.pt", map_location="cpu", weights_only=True))
    mean, worst = evaluate(net.to(dev), DataLoader(Parts("nightly"), 64), nn.CrossEntropyLoss(reduction="none"), dev)
    print(float(mean), worst[0])


if __name__ == "__main__":
    main()
