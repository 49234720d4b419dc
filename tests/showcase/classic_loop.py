"""Train a small classifier on CIFAR-10, the way the first tutorial does it."""

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

EPOCHS = 20
device = torch.device("cuda")


def evaluate(model, loader):
    model.eval()
    loss_sum = 0.0
    correct = 0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        logits = model(images)
        loss_sum += F.cross_entropy(logits, labels, reduction="sum")
        correct += (logits.argmax(dim=1) == labels).sum().item()
    return loss_sum / len(loader.dataset), correct / len(loader.dataset)


def main():
    to_tensor = transforms.ToTensor()
    train_set = datasets.CIFAR10("data", train=True, download=True, transform=to_tensor)
    test_set = datasets.CIFAR10("data", train=False, download=True, transform=to_tensor)
    train_loader = DataLoader(train_set, batch_size=128, shuffle=True, num_workers=4)
    test_loader = DataLoader(test_set, batch_size=256, num_workers=4)

    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 8 * 8, 10),
    ).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    for epoch in range(EPOCHS):
        model.train()
        running_loss = 0.0
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            running_loss += loss
        test_loss, accuracy = evaluate(model, test_loader)
        print(f"{epoch}: train {running_loss / len(train_loader):.3f} test {test_loss:.3f} {accuracy:.1%}")


if __name__ == "__main__":
    main()
