import torch
from torch.cuda.amp import autocast
from tqdm import tqdm
from timm import create_model
from timm.data import create_dataset, create_loader


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


class Prefetcher:
    def __init__(self, loader):
        self.loader, self.stream = loader, torch.cuda.Stream()

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for x, y in self.loader:
            with torch.cuda.stream(self.stream):
                x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            torch.cuda.current_stream().wait_stream(self.stream)
            yield x, y


def validate(model, loader, loss_fn):
    losses, top1 = AverageMeter(), AverageMeter()
    model.eval()
    for x, y in tqdm(Prefetcher(loader), desc="val"):
        with autocast():
            out = model(x)
        loss = loss_fn(out.float(), y)
        losses.update(loss, x.size(0))
        top1.update((out.argmax(1) == y).float().mean().item() * 100, x.size(0))
    return {"loss": losses.avg, "top1": top1.avg}


if __name__ == "__main__":
    model = create_model("efficientnet_es", pretrained=True).cuda()
    data = create_dataset("", root="/data/imagenet", split="validation")
    loader = create_loader(data, 224, 256, use_prefetcher=False)
    print(validate(model, loader, torch.nn.CrossEntropyLoss().cuda()))
