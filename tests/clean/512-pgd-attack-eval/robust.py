import torch
import torch.nn.functional as F


def pgd(model, x, y, eps=8 / 255, alpha=2 / 255, steps=20):
    delta = torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(steps):
        delta.requires_grad_(True)
        loss = F.cross_entropy(model((x + delta).clamp(0, 1)), y)
        grad, = torch.autograd.grad(loss, delta)
        delta = (delta + alpha * grad.sign()).clamp(-eps, eps).detach()
    return (x + delta).clamp(0, 1)


def evaluate(model, loader, device="cuda"):
    model.eval()
    clean = robust = total = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        adv = pgd(model, x, y)
        with torch.no_grad():
            clean += (model(x).argmax(1) == y).sum().item()
            robust += (model(adv).argmax(1) == y).sum().item()
        total += y.numel()
    return clean / total, robust / total
