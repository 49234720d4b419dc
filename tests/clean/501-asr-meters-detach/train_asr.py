import torch
from collections import defaultdict
from speech import Emformer, ctc_loss, make_loaders

net = Emformer().cuda()
opt = torch.optim.Adam(net.parameters(), 3e-4)
train_dl, dev_dl = make_loaders("/data/librispeech", 16)


def step(batch):
    feats, toks = (t.cuda() for t in batch)
    return ctc_loss(net(feats), toks)


for epoch in range(40):
    stats = defaultdict(float)
    net.train()
    for batch in train_dl:
        loss = step(batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
        stats["train"] += loss.detach()
        stats["frames"] += batch[0].size(1)
    net.eval()
    with torch.inference_mode():
        for batch in dev_dl:
            stats["dev"] += step(batch)
    print(epoch, {k: round(float(v), 3) for k, v in stats.items()})
