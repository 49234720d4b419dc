import os
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import Value, get_context

import torch
from captions import CaptionNet, picture

net = None


def choose(counter):
    global net
    with counter.get_lock():
        card, counter.value = counter.value, counter.value + 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(card % 4)
    net = CaptionNet().cuda().eval()


@torch.inference_mode()
def caption(path):
    return net(picture(path).cuda()).cpu()


if __name__ == "__main__":
    context = get_context("spawn")
    with ProcessPoolExecutor(4, mp_context=context, initializer=choose, initargs=(context.Value("i", 0),)) as pool:
        for number, out in zip(count(), pool.map(caption, open("paths.txt").read().split())):
            print(number, out.shape)
