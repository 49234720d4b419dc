import copy

import torch
from torch import nn, optim
from torchvision import models
from hymenoptera import dataloaders, dataset_sizes

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def train_model(model, criterion, optimizer, scheduler, num_epochs=25):
    best, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train() if phase == "train" else model.eval()
            tot, right = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                inputs, labels = inputs.to(device), labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                tot += loss * inputs.size(0)
                right += torch.sum(preds == labels.data)
            if phase == "train":
                scheduler.step()
            acc = right.double() / dataset_sizes[phase]
            print(phase, (tot / dataset_sizes[phase]).item(), acc.item())
            if phase == "val" and acc > best_acc:
                best_acc, best = acc, copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    return model


net = models.resnet18(weights="IMAGENET1K_V1")
net.fc = nn.Linear(net.fc.in_features, 2)
net = net.to(device)
sgd = optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
train_model(net, nn.CrossEntropyLoss(), sgd, optim.lr_scheduler.StepLR(sgd, 7, 0.1))
