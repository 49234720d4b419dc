import argparse
import os

import torch
from newts import NewtNet, newt_loader


def set_card(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(card)


def report():
    free, total = torch.cuda.mem_get_info()
    print(f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free")


@torch.no_grad()
def run(weights):
    net = NewtNet()
    net.load_state_dict(torch.load(weights, map_location="cpu"))
    net.cuda().eval()
    hits = sum((net(x.cuda()).argmax(1).cpu() == y).sum().item() for x, y in newt_loader())
    print(hits)


def main():
    report()
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int, default=1)
    parser.add_argument("weights")
    options = parser.parse_args()
    set_card(options.gpu)
    run(options.weights)


main()
