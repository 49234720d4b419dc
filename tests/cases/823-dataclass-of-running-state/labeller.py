from dataclasses import dataclass, field
import torch
from torch import nn
from sentences import Batches, Tagger


@dataclass
class Tally:
    loss: float = 0.0
    tokens: int = 0
    wrong: list = field(default_factory=list)

    def add(self, loss, mask):
        self.loss += loss * mask.sum()
        self.tokens += int(mask.sum())

    @property
    def mean(self):
        return float(self.loss) / self.tokens


def run(net, batches, opt=None):
    tally = Tally()
    ce = nn.CrossEntropyLoss(ignore_index=-1)
    net.train(opt is not None)
    for words, tags in batches:
        words, tags = words.cuda(), tags.cuda()
        scores = net(words)
        loss = ce(scores.flatten(0, 1), tags.flatten())
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
        tally.add(loss, tags.ge(0))
        bad = (scores.argmax(-1) != tags) & tags.ge(0)
        tally.wrong.append(int(bad.sum()))
    return tally


if __name__ == "__main__":
    net = Tagger(vocab=60_000, width=768, layers=6, tags=41).cuda()
    opt = torch.optim.Adam(net.parameters(), 2e-4)
    train, dev = Batches("train.conll", 64), Batches("dev.conll", 128)
    for epoch in range(50):
        t = run(net, train, opt)
        v = run(net, dev)
        print(epoch, t.mean, v.mean, sum(v.wrong))
