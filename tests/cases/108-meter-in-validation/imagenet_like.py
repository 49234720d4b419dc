import time

import torch
import torch.nn as nn
import torchvision.models as models
from places import build_loaders


class Meter(object):
    def __init__(self, label):
        self.label, self.total, self.n = label, 0.0, 0

    def push(self, v, k=1):
        self.total = self.total + v * k
        self.n += k

    def __str__(self):
        return "{} {:.4f}".format(self.label, float(self.total) / max(self.n, 1))


def accuracy(output, target, topk=(1, 5)):
    with torch.no_grad():
        _, pred = output.topk(max(topk), 1, True, True)
        ok = pred.t().eq(target.view(1, -1))
        return [ok[:k].reshape(-1).float().sum() * 100.0 / target.size(0) for k in topk]


def train(loader, model, criterion, optimizer):
    model.train()
    cost, first = Meter("loss"), Meter("acc1")
    for images, target in loader:
        images, target = images.cuda(), target.cuda()
        output = model(images)
        loss = criterion(output, target)
        cost.push(loss.item(), images.size(0))
        first.push(accuracy(output, target)[0], images.size(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(cost, first)


def validate(loader, model, criterion):
    model.eval()
    cost, first = Meter("val loss"), Meter("val acc1")
    t0 = time.time()
    for images, target in loader:
        images, target = images.cuda(), target.cuda()
        output = model(images)
        loss = criterion(output, target)
        cost.push(loss, images.size(0))
        first.push(accuracy(output, target)[0], images.size(0))
    print(cost, first, time.time() - t0)


net = nn.DataParallel(models.resnet50(num_classes=365)).cuda()
sgd = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
xent = nn.CrossEntropyLoss().cuda()
train_loader, val_loader = build_loaders(256)
for epoch in range(90):
    train(train_loader, net, xent, sgd)
    validate(val_loader, net, xent)
