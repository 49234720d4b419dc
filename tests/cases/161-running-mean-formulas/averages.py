import torch
from trackers import DiMP, sequences

net = DiMP(backbone="resnet18").cuda()
opt = torch.optim.AdamW(net.parameters(), 1e-4)
mean, smooth, top = 0.0, None, 0.0
for i, (frames, boxes) in enumerate(sequences(16)):
    err = net.loss(frames.cuda(), boxes.cuda())
    opt.zero_grad()
    err.backward()
    opt.step()
    mean = mean + (err - mean) / (i + 1)
    smooth = err if smooth is None else 0.95 * smooth + 0.05 * err
    top = max(top, err.item())
    if i % 200 == 0:
        print(i, float(mean), float(smooth), top)
