from collections import namedtuple
import torch
import torchvision
from torchvision.models.detection import fasterrcnn_resnet50_fpn
from drones import DroneBoxes, collate

Record = namedtuple("Record", "step cls box obj rpn")


def to_device(targets, dev):
    return [{k: v.to(dev, non_blocking=True) for k, v in t.items()} for t in targets]


def run(epochs=12, dev="cuda"):
    net = fasterrcnn_resnet50_fpn(num_classes=11).to(dev)
    params = [p for p in net.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, 0.005, momentum=0.9, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.StepLR(opt, 4, 0.1)
    loader = torch.utils.data.DataLoader(DroneBoxes("train"), 4, True, collate_fn=collate)
    records, step = [], 0
    for _ in range(epochs):
        net.train()
        for images, targets in loader:
            losses = net([i.to(dev) for i in images], to_device(targets, dev))
            total = sum(losses.values())
            opt.zero_grad()
            total.backward()
            opt.step()
            rec = Record(step, losses["loss_classifier"], losses["loss_box_reg"],
                         losses["loss_objectness"], losses["loss_rpn_box_reg"])
            records.append(rec)
            step += 1
        sched.step()
    return net, records
