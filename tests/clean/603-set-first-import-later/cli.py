import argparse
import json
import os
import random
from pathlib import Path

import numpy as np
import yaml
from tqdm import tqdm


def prepare_environment(split_mb):
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = f"max_split_size_mb:{split_mb}"


def train(config):
    import torch
    from torch import nn
    from birds import SongNet, song_loader

    net = SongNet(config["width"]).cuda()
    opt = torch.optim.AdamW(net.parameters(), lr=config["lr"])
    for epoch in range(config["epochs"]):
        seen = 0.0
        for spectrum, label in tqdm(song_loader(config["batch"])):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(spectrum.cuda()), label.cuda())
            loss.backward()
            opt.step()
            seen += loss.item()
        print(json.dumps({"epoch": epoch, "loss": seen}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("config", type=Path)
    parser.add_argument("--split-mb", type=int, default=256)
    options = parser.parse_args()
    random.seed(0)
    np.random.seed(0)
    prepare_environment(options.split_mb)
    train(yaml.safe_load(options.config.read_text()))
