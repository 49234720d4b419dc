import os
import random

import numpy as np
import torch
from wasps import WaspNet, wasp_loader


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = True


def select_device(wanted="0"):
    """0, 0,1 or cpu."""
    if wanted == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    elif wanted:
        os.environ["CUDA_VISIBLE_DEVICES"] = wanted
        assert torch.cuda.is_available(), "no card"
    return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


seed_everything(7)
device = select_device("1")
net = WaspNet().to(device)
opt = torch.optim.SGD(net.parameters(), 0.01)
for x, y in wasp_loader():
    opt.zero_grad()
    torch.nn.functional.cross_entropy(net(x.to(device)), y.to(device)).backward()
    opt.step()
