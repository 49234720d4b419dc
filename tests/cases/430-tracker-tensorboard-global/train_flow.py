import torch
from torch.utils.tensorboard import SummaryWriter
from optflow import FlyingChairs, PWCNet, epe

writer = SummaryWriter("runs/pwc")
net = torch.nn.DataParallel(PWCNet()).cuda()
optimizer = torch.optim.Adam(net.parameters(), 1e-4)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [400_000, 600_000], 0.5)
ema = None
n_iter = 0


def note(tag, value):
    global ema
    ema = value if ema is None else 0.99 * ema + 0.01 * value
    writer.add_scalar(tag, value, n_iter)
    writer.add_scalar(tag + "_smooth", ema, n_iter)


def train(loader):
    global n_iter
    net.train()
    for (im1, im2), flow in loader:
        im1, im2, flow = im1.cuda(), im2.cuda(), flow.cuda()
        preds = net(torch.cat([im1, im2], 1))
        loss = sum(w * epe(p, flow) for w, p in zip((0.32, 0.08, 0.02, 0.01, 0.005), preds))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        note("train/epe", loss)
        n_iter += 1


loader = torch.utils.data.DataLoader(FlyingChairs("train"), 8, True, num_workers=8)
for epoch in range(300):
    train(loader)
