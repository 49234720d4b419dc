import torch
from scenes import StreetScenes
from pspnet import PSPNet
from engine import train_epoch, validate


def main():
    net = PSPNet(layers=50, classes=19).cuda()
    opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)
    scaler = torch.cuda.amp.GradScaler()
    train_loader = torch.utils.data.DataLoader(StreetScenes("train", crop=713), 4, shuffle=True, num_workers=8)
    val_loader = torch.utils.data.DataLoader(StreetScenes("val"), 1, num_workers=4)
    best = 0.0
    for epoch in range(200):
        net.train()
        loss = train_epoch(net, train_loader, opt, scaler)
        net.eval()
        miou = validate(net, val_loader, 19)
        if miou > best:
            best = miou
            torch.save(net.state_dict(), "best.pth")
        print(epoch, loss, miou)


if __name__ == "__main__":
    main()
