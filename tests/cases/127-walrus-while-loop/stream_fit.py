import torch
from torch.nn.functional import cross_entropy as xent
from feed import open_feed
from tagger import Tagger

tagger = Tagger(words=80_000, tags=17)
tagger.cuda()
opt = torch.optim.Adagrad(tagger.parameters(), 0.01)


def consume(feed):
    tally, n = 0.0, 0
    while (batch := feed.next()) is not None:
        sent, gold = batch.words.cuda(), batch.tags.cuda()
        opt.zero_grad()
        err = xent(tagger(sent).flatten(0, 1), gold.flatten())
        err.backward()
        opt.step()
        tally += err
        n += 1
    return tally / max(n, 1)


if __name__ == "__main__":
    for day in range(365):
        print(day, consume(open_feed(day)).item())
