import math
import sys
from collections import defaultdict, deque

import torch
import torch.distributed as dist


class SmoothedValue:
    def __init__(self, window=20):
        self.deque, self.total, self.count = deque(maxlen=window), 0.0, 0

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()


class MetricLogger:
    def __init__(self):
        self.meters = defaultdict(SmoothedValue)

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            assert isinstance(v, (float, int))
            self.meters[k].update(v)

    def __getattr__(self, name):
        return self.meters[name]


def reduce_dict(d):
    if not dist.is_initialized():
        return d
    with torch.no_grad():
        names = sorted(d)
        values = torch.stack([d[k] for k in names])
        dist.all_reduce(values)
        return dict(zip(names, values / dist.get_world_size()))


def train_one_epoch(model, optimizer, data_loader, device, epoch):
    model.train()
    logger = MetricLogger()
    for images, targets in data_loader:
        images = [i.to(device) for i in images]
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
        loss_dict = model(images, targets)
        losses = sum(loss_dict.values())
        reduced = reduce_dict(loss_dict)
        value = sum(reduced.values()).item()
        if not math.isfinite(value):
            sys.exit(1)
        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
        logger.update(loss=value, **reduced)
        logger.update(lr=optimizer.param_groups[0]["lr"])
    return {k: m.total / m.count for k, m in logger.meters.items()}
