import torch
from lanes import ENet, lane_loader

net = ENet(2).cuda()
opt = torch.optim.Adam(net.parameters(), 5e-4)
ce = torch.nn.CrossEntropyLoss(weight=torch.tensor([0.4, 1.0]).cuda())


def val(loader):
    net.eval()
    torch.no_grad()
    inter = union = 0
    for img, lane in loader:
        pred = net(img.cuda()).argmax(1)
        lane = lane.cuda()
        inter += ((pred == 1) & (lane == 1)).sum().item()
        union += ((pred == 1) | (lane == 1)).sum().item()
    return inter / union


for epoch in range(60):
    net.train()
    for img, lane in lane_loader("train", 8):
        loss = ce(net(img.cuda()), lane.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, val(lane_loader("val", 8)))
