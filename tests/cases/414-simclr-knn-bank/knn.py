import torch
import torch.nn.functional as F


class KnnProbe:
    """Weighted nearest neighbours on frozen features, run after every epoch."""

    def __init__(self, k=200, t=0.1, n_classes=10):
        self.k, self.t, self.n_classes = k, t, n_classes

    def __call__(self, encoder, memory_loader, test_loader):
        encoder.eval()
        bank, labels = [], []
        for img, y in memory_loader:
            z = F.normalize(encoder(img.cuda(non_blocking=True)), dim=1)
            bank.append(z)
            labels.append(y)
        bank = torch.cat(bank).t().contiguous()
        labels = torch.cat(labels).cuda()
        right = seen = 0
        for img, y in test_loader:
            z = F.normalize(encoder(img.cuda(non_blocking=True)), dim=1)
            sim, idx = (z @ bank).topk(self.k, dim=-1)
            votes = torch.zeros(len(z), self.n_classes, device=z.device)
            votes.scatter_add_(1, labels[idx], (sim / self.t).exp())
            right += (votes.argmax(1).cpu() == y).sum().item()
            seen += len(y)
        encoder.train()
        return 100.0 * right / seen
