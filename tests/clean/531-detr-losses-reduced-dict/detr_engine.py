import math
import sys
import torch
import torch.distributed as dist


def reduce_dict(d):
    with torch.no_grad():
        names, values = zip(*sorted(d.items()))
        values = torch.stack(values)
        dist.all_reduce(values)
        return dict(zip(names, values / dist.get_world_size()))


def train_one_epoch(model, criterion, loader, optimizer, device, max_norm=0.1):
    model.train()
    criterion.train()
    totals = {}
    for samples, targets in loader:
        samples = samples.to(device)
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
        outputs = model(samples)
        loss_dict = criterion(outputs, targets)
        weights = criterion.weight_dict
        losses = sum(loss_dict[k] * weights[k] for k in loss_dict if k in weights)
        reduced = reduce_dict(loss_dict)
        value = sum(reduced.values()).item()
        if not math.isfinite(value):
            print(reduced)
            sys.exit(1)
        optimizer.zero_grad()
        losses.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        for k, v in reduced.items():
            totals[k] = totals.get(k, 0.0) + v
    return {k: float(v) / len(loader) for k, v in totals.items()}
