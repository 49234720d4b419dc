import argparse
import contextlib
import torch
from depth import DepthNet, nyu


def enable_dropout(net):
    for m in net.modules():
        if m.__class__.__name__.startswith("Dropout"):
            m.train()


def spread(net, loader, n, device):
    """Variance of n passes, averaged over the data."""
    total, seen = 0.0, 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(torch.autocast(device, dtype=torch.float16))
        for x, _ in loader:
            x = x.to(device)
            draws = torch.stack([net(x) for _ in range(n)])
            total += draws.float().var(0).mean()
            seen += 1
    return (total / seen).item()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=50)
    ap.add_argument("--device", default="cuda")
    a = ap.parse_args()
    net = DepthNet().to(a.device)
    net.eval()
    enable_dropout(net)
    print(spread(net, nyu("test", 8), a.n, a.device))
