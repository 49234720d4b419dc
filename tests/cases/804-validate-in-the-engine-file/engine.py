import torch
import torch.nn.functional as F


def intersection_and_union(pred, target, k, ignore=255):
    pred[target == ignore] = ignore
    inter = pred[pred == target]
    area_i = torch.histc(inter.float(), bins=k, min=0, max=k - 1)
    area_u = torch.histc(pred.float(), k, 0, k - 1) + torch.histc(target.float(), k, 0, k - 1) - area_i
    return area_i, area_u


def train_epoch(net, loader, opt, scaler, aux_weight=0.4):
    total = 0.0
    for img, label in loader:
        img, label = img.cuda(non_blocking=True), label.cuda(non_blocking=True)
        with torch.cuda.amp.autocast():
            main, aux = net(img)
            loss = F.cross_entropy(main, label, ignore_index=255) + aux_weight * F.cross_entropy(aux, label, ignore_index=255)
        opt.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        total += loss.item()
    return total / len(loader)


def validate(net, loader, k):
    inter, union = torch.zeros(k, device="cuda"), torch.zeros(k, device="cuda")
    for img, label in loader:
        img, label = img.cuda(non_blocking=True), label.cuda(non_blocking=True)
        out = net(img)
        if isinstance(out, tuple):
            out = out[0]
        out = F.interpolate(out, label.shape[-2:], mode="bilinear", align_corners=True)
        i, u = intersection_and_union(out.argmax(1), label, k)
        inter += i
        union += u
    return (inter / (union + 1e-10)).mean().item()
