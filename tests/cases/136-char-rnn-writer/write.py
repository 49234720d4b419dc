import string

import torch
from torch import nn

CHARS = string.printable


class CharRNN(nn.Module):
    def __init__(self, hidden=1024, layers=3):
        super().__init__()
        self.enc, self.gru, self.dec = nn.Embedding(100, hidden), nn.GRU(hidden, hidden, layers), nn.Linear(hidden, 100)

    def forward(self, c, state):
        out, state = self.gru(self.enc(c).unsqueeze(0), state)
        return self.dec(out[0]), state


def write(net, prime="A", length=5000, heat=0.8):
    net.eval()
    state, text = None, prime
    for ch in prime[:-1]:
        _, state = net(torch.tensor([CHARS.index(ch)], device="cuda"), state)
    c = torch.tensor([CHARS.index(prime[-1])], device="cuda")
    for _ in range(length):
        logits, state = net(c, state)
        c = torch.multinomial((logits / heat).softmax(-1), 1).view(1)
        text += CHARS[c.item()]
    return text


if __name__ == "__main__":
    rnn = CharRNN()
    rnn.load_state_dict(torch.load("char.pt", map_location="cpu"))
    print(write(rnn.cuda(), "The ", 5000))
