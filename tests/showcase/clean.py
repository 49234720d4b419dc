"""The same jobs done so that nothing outlives its step: vramlens has nothing to say here."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(model, loader, criterion, optimizer):
    model.train()
    total_loss = 0.0
    for inputs, targets in loader:
        inputs, targets = inputs.cuda(), targets.cuda()
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
    return total_loss / len(loader)


@torch.inference_mode()
def predict(model, loader):
    model.eval()
    predictions = []
    for inputs, _ in loader:
        predictions.append(model(inputs.cuda()).argmax(dim=1).cpu())
    return torch.cat(predictions)


def main():
    dataset = TensorDataset(torch.randn(4096, 128), torch.randint(0, 10, (4096,)))
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    model = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(10):
        print(epoch, train_epoch(model, loader, criterion, optimizer))
    print(predict(model, loader).bincount())


if __name__ == "__main__":
    main()
