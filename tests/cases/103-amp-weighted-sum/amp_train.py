import timm
import torch
from torch.cuda.amp import GradScaler, autocast
from leaves import make_loaders

net = timm.create_model("tf_efficientnet_b3", pretrained=True, num_classes=5).cuda()
crit = torch.nn.CrossEntropyLoss(label_smoothing=0.1).cuda()
opt = torch.optim.AdamW(net.parameters(), lr=2e-4, weight_decay=1e-2)
scaler = GradScaler()
train_dl, valid_dl = make_loaders(fold=0, size=512, bs=24)


def one_pass():
    net.train()
    seen, weighted = 0, 0.0
    for x, y in train_dl:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        with autocast():
            z = net(x)
            cost = crit(z, y)
        scaler.scale(cost).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad(set_to_none=True)
        weighted += cost * x.size(0)
        seen += x.size(0)
    return weighted / seen


@torch.no_grad()
def holdout():
    net.eval()
    seen, weighted = 0, torch.zeros((), device="cuda")
    for x, y in valid_dl:
        with autocast():
            weighted += crit(net(x.cuda()), y.cuda()) * len(y)
        seen += len(y)
    return weighted / seen


for ep in range(10):
    print(ep, one_pass().item(), holdout().item())
