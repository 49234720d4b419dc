from collections import defaultdict

import torch
import torchvision
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor
from penn import PedestrianBoxes, collate

device = torch.device("cuda:0")
det = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights="DEFAULT")
det.roi_heads.box_predictor = FastRCNNPredictor(det.roi_heads.box_predictor.cls_score.in_features, 2)
det.to(device)
params = [p for p in det.parameters() if p.requires_grad]
sgd = torch.optim.SGD(params, lr=0.005, momentum=0.9)
data = torch.utils.data.DataLoader(PedestrianBoxes("./penn"), batch_size=2, shuffle=True, collate_fn=collate)

for epoch in range(12):
    det.train()
    sums = defaultdict(float)
    for images, targets in data:
        images = [im.to(device) for im in images]
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
        parts = det(images, targets)
        losses = sum(parts.values())
        sgd.zero_grad()
        losses.backward()
        sgd.step()
        for name, value in parts.items():
            sums[name] += value
    print(epoch, {k: round(float(v) / len(data), 4) for k, v in sums.items()})
