import os
from multiprocessing import get_context

import torch
from roofs import RoofNet, tiles


def worker(card, names, results):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(card)
    net = RoofNet().to("cuda").eval()
    with torch.inference_mode():
        for name in names:
            results.put((name, net(tiles(name).cuda()).argmax(1).cpu()))


def main():
    cards = torch.cuda.device_count()
    everything = sorted(os.listdir("tiles"))
    context = get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=worker, args=(card, everything[card::cards], results)) for card in range(cards)]
    for one in workers:
        one.start()
    for _ in everything:
        name, labels = results.get()
        print(name, labels.float().mean().item())
    for one in workers:
        one.join()


if __name__ == "__main__":
    main()
