import torch
import torchvision
from chest import get_loaders

dev = "cuda"
net = torchvision.models.densenet121(weights="DEFAULT")
net.classifier = torch.nn.Linear(1024, 14)
net.to(dev)
bce = torch.nn.BCEWithLogitsLoss()
adam = torch.optim.Adam(net.parameters(), 1e-4)
loaders = get_loaders("/data/chest", bs=16)

for epoch in range(30):
    for phase in ("train", "val"):
        if phase == "train":
            net.train()
        else:
            net.eval()
        acc_loss = 0.0
        for scan, finding in loaders[phase]:
            scan = scan.to(dev)
            finding = finding.to(dev).float()
            logit = net(scan)
            loss = bce(logit, finding)
            if phase == "train":
                adam.zero_grad()
                loss.backward()
                adam.step()
            acc_loss += loss
        print(epoch, phase, float(acc_loss) / len(loaders[phase]))
