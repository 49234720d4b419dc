import string
import torch
import torch.nn.functional as F
from torch import nn

CHARS = string.printable
dev = "cuda"


class CharLSTM(nn.Module):
    def __init__(self, n=len(CHARS), h=512):
        super().__init__()
        self.lstm, self.out = nn.LSTM(n, h, 2, batch_first=True, dropout=0.3), nn.Linear(h, n)

    def forward(self, x, state=None):
        y, state = self.lstm(x, state)
        return self.out(y), state


def onehot(idx):
    return F.one_hot(idx, len(CHARS)).float()


def ramble(net, seed="The ", n=1000, temp=0.8):
    net.eval()
    ids = torch.tensor([[CHARS.index(c) for c in seed]], device=dev)
    logits, state = net(onehot(ids))
    text = seed
    for _ in range(n):
        nxt = torch.multinomial((logits[:, -1] / temp).softmax(-1), 1)
        text += CHARS[nxt.item()]
        logits, state = net(onehot(nxt), state)
    net.train()
    return text


if __name__ == "__main__":
    book = open("moby.txt").read()
    ids = torch.tensor([CHARS.index(c) for c in book if c in CHARS])
    net = CharLSTM().to(dev)
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    for step in range(20_000):
        at = torch.randint(0, len(ids) - 129, (64,))
        x = torch.stack([ids[a : a + 129] for a in at]).to(dev)
        logits, _ = net(onehot(x[:, :-1]))
        loss = F.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 1000 == 0:
            print(loss.item(), ramble(net))
