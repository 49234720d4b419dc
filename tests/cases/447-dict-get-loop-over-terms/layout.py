import torch
from documents import LayoutNet, pages


def run_epoch(net, opt, loader):
    net.train()
    sums, n = {}, 0
    for img, boxes, text in loader:
        terms = net.losses(img.cuda(), boxes.cuda(), text.cuda())
        total = terms["cls"] + 2.0 * terms["box"] + terms["ocr"]
        opt.zero_grad()
        total.backward()
        opt.step()
        for k, v in terms.items():
            sums[k] = sums.get(k, 0.0) + v
        n += 1
    return {k: float(v) / n for k, v in sums.items()}


net = LayoutNet(5).cuda()
opt = torch.optim.AdamW(net.parameters(), 1e-4)
for epoch in range(30):
    print(epoch, run_epoch(net, opt, pages("train", 8)))
