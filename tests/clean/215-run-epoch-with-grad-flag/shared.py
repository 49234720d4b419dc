import torch
from torch import nn
from tqdm import tqdm
from seg import Net, data


def run(net, dl, loss_fn, opt=None):
    training = opt is not None
    net.train(training)
    sums = torch.zeros(2, device="cuda")
    with torch.set_grad_enabled(training), tqdm(dl, leave=False) as bar:
        for x, y in bar:
            x, y = x.cuda(), y.cuda()
            out = net(x)
            loss = loss_fn(out, y)
            if training:
                opt.zero_grad()
                loss.backward()
                opt.step()
            sums += torch.stack([loss.detach(), (out.argmax(1) == y).float().mean()])
            bar.set_postfix(loss=f"{loss:.3f}")
    return (sums / len(dl)).tolist()


net = Net(21).cuda()
sgd = torch.optim.SGD(net.parameters(), 1e-2)
for e in range(50):
    print(e, run(net, data("train"), nn.CrossEntropyLoss(ignore_index=255), sgd), run(net, data("val"), nn.CrossEntropyLoss(ignore_index=255)))
