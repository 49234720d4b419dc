import torch
from ignite.engine import Engine, Events
from ignite.handlers import ProgressBar
from cells import CellSet, UNet, dice_loss

device = "cuda"
net = UNet(1, 2).to(device)
optimizer = torch.optim.Adam(net.parameters(), 1e-4)
loader = torch.utils.data.DataLoader(CellSet("train"), 8, shuffle=True)
epoch_masks = []


def update(engine, batch):
    net.train()
    optimizer.zero_grad()
    img, mask = (t.to(device) for t in batch)
    out = net(img)
    loss = dice_loss(out, mask)
    loss.backward()
    optimizer.step()
    epoch_masks.append(out)
    return loss.item()


trainer = Engine(update)
ProgressBar().attach(trainer, output_transform=lambda v: {"dice": v})


@trainer.on(Events.EPOCH_COMPLETED)
def coverage(engine):
    total = torch.cat(epoch_masks).argmax(1).float().mean().item()
    print(engine.state.epoch, engine.state.output, total)


trainer.run(loader, max_epochs=50)
