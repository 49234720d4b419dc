import contextlib
import functools

import torch
from radio import SignalNet, recordings


def frozen(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        with torch.no_grad():
            return fn(*args, **kwargs)

    return inner


@contextlib.contextmanager
def evaluating(net):
    was = net.training
    net.eval()
    try:
        with torch.inference_mode():
            yield net
    finally:
        net.train(was)


@frozen
def held_out_loss(net, data, crit):
    net.eval()
    total = 0.0
    for sig, kind in data:
        total += crit(net(sig.cuda()), kind.cuda())
    return total / len(data)


def guesses(net, data):
    out = []
    with evaluating(net) as quiet:
        for sig, _ in data:
            out.append(quiet(sig.cuda()).argmax(1).cpu())
    return torch.cat(out)


net = SignalNet().cuda()
net.load_state_dict(torch.load("signal.pt", map_location="cpu"))
print(held_out_loss(net, recordings("dev"), torch.nn.CrossEntropyLoss()))
print(guesses(net, recordings("test"))[:20])
