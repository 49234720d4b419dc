import torch
import torch.nn as nn
from torch.autograd import Variable
from places import net, train_loader, val_loader

net.cuda()
criterion = nn.CrossEntropyLoss().cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)


def train():
    net.train()
    for input, target in train_loader:
        output = net(Variable(input.cuda()))
        loss = criterion(output, Variable(target.cuda()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def validate():
    net.eval()
    total = 0
    for i, (input, target) in enumerate(val_loader):
        input_var = Variable(input.cuda(), volatile=True)
        target_var = Variable(target.cuda(), volatile=True)
        output = net(input_var)
        total += criterion(output, target_var)
    print(total / len(val_loader))


for epoch in range(30):
    train()
    validate()
