from dataclasses import dataclass, field

import lightning as L
import torch
from torchvision.models import vit_b_16
from flowers import flower_loader


@dataclass
class RunLog:
    steps: list = field(default_factory=list)
    values: list = field(default_factory=list)

    def write(self, step, value):
        self.steps.append(step)
        self.values.append(value)


def main():
    fabric = L.Fabric(accelerator="cuda", devices=2, precision="bf16-mixed")
    fabric.launch()
    net = vit_b_16(num_classes=102)
    opt = torch.optim.AdamW(net.parameters(), 1e-4)
    net, opt = fabric.setup(net, opt)
    loader = fabric.setup_dataloaders(flower_loader(64))
    xent, log = torch.nn.CrossEntropyLoss(), RunLog()
    for epoch in range(30):
        for i, (x, y) in enumerate(loader):
            loss = xent(net(x), y)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            log.write(epoch * len(loader) + i, loss)
    if fabric.is_global_zero:
        print([float(v) for v in log.values][-5:])


if __name__ == "__main__":
    main()
