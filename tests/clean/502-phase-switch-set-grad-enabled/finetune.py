import copy
import time
import torch
from torch import nn, optim
from torchvision import models
from ants import dataloaders, sizes

device = torch.device("cuda:0")


def fit(model, criterion, optimizer, scheduler, epochs=25):
    best, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(epochs):
        since = time.time()
        for phase in ["train", "val"]:
            model.train(phase == "train")
            running_loss = torch.zeros((), device=device)
            correct = 0
            for inputs, labels in dataloaders[phase]:
                inputs, labels = inputs.to(device), labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.detach() * inputs.size(0)
                correct += torch.sum(outputs.argmax(1) == labels.data)
            if phase == "train":
                scheduler.step()
            acc = correct.double() / sizes[phase]
            if phase == "val" and acc > best_acc:
                best, best_acc = copy.deepcopy(model.state_dict()), acc
            print(phase, (running_loss / sizes[phase]).item(), acc.item(), time.time() - since)
    model.load_state_dict(best)
    return model


net = models.resnet18(weights="DEFAULT")
net.fc = nn.Linear(net.fc.in_features, 2)
net = net.to(device)
opt = optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
fit(net, nn.CrossEntropyLoss(), opt, optim.lr_scheduler.StepLR(opt, 7, 0.1))
