import torch
import torch.nn.functional as F
from torchvision import datasets, transforms
from resnets import resnet20


class AdaHessian(torch.optim.Optimizer):
    def __init__(self, params, lr=0.15, betas=(0.9, 0.999), eps=1e-4):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps))

    def hessian_diag(self):
        ps = [p for g in self.param_groups for p in g["params"] if p.grad is not None]
        zs = [torch.randint_like(p, 0, 2) * 2.0 - 1.0 for p in ps]
        hzs = torch.autograd.grad([p.grad for p in ps], ps, grad_outputs=zs, retain_graph=False)
        for p, h, z in zip(ps, hzs, zs):
            self.state[p]["h"] = (h * z).abs().detach()

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                st = self.state[p]
                m = st.setdefault("m", torch.zeros_like(p))
                v = st.setdefault("v", torch.zeros_like(p))
                m.lerp_(p.grad, 1 - group["betas"][0])
                v.lerp_(st["h"].square(), 1 - group["betas"][1])
                p.addcdiv_(m, v.sqrt() + group["eps"], value=-group["lr"])


tf = transforms.Compose([transforms.RandomCrop(32, 4), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
loader = torch.utils.data.DataLoader(datasets.CIFAR10("~/data", transform=tf), 256, shuffle=True, num_workers=4)
net = resnet20().cuda()
opt = AdaHessian(net.parameters())

for epoch in range(160):
    running = 0.0
    for x, y in loader:
        loss = F.cross_entropy(net(x.cuda()), y.cuda())
        opt.zero_grad(set_to_none=False)
        loss.backward(create_graph=True)
        opt.hessian_diag()
        opt.step()
        running += loss.item()
    print(epoch, running / len(loader))
