import itertools
import torch
from torch import nn
from molecules import MolNet, molecule_batches


def steps(net, opt, crit, dev):
    """Endless training; yields one number a step."""
    for batch in itertools.chain.from_iterable(molecule_batches(64) for _ in itertools.count()):
        batch = batch.to(dev)
        loss = crit(net(batch), batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


def main():
    dev = torch.device("cuda")
    net = MolNet(hidden=300).to(dev)
    opt = torch.optim.Adam(net.parameters(), 1e-4)
    curve, best = [], float("inf")
    for k, value in zip(range(100_000), steps(net, opt, nn.L1Loss(), dev)):
        curve.append(value)
        best = min(best, value)
        if k % 1000 == 0:
            print(k, sum(curve[-1000:]) / len(curve[-1000:]), best)


main()
