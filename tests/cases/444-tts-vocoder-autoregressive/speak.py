import torch
from torch import nn
from voices import text_ids, HifiGan


class Decoder(nn.Module):
    def __init__(self, n_text=64, n_mel=80, h=512):
        super().__init__()
        self.emb = nn.Embedding(n_text, h)
        self.enc = nn.GRU(h, h // 2, bidirectional=True, batch_first=True)
        self.attn = nn.MultiheadAttention(h, 4, batch_first=True)
        self.pre, self.cell = nn.Linear(n_mel, h), nn.GRUCell(2 * h, h)
        self.out, self.stop = nn.Linear(h, n_mel), nn.Linear(h, 1)

    def frame(self, mem, last, state):
        ctx, _ = self.attn(state.unsqueeze(1), mem, mem)
        state = self.cell(torch.cat([self.pre(last), ctx.squeeze(1)], -1), state)
        return self.out(state), torch.sigmoid(self.stop(state)), state


def speak(model, vocoder, text, limit=1000, dev="cuda"):
    model.eval()
    ids = text_ids(text).unsqueeze(0).to(dev)
    mem, _ = model.enc(model.emb(ids))
    last, state = torch.zeros(1, 80, device=dev), torch.zeros(1, 512, device=dev)
    mels = []
    while len(mels) < limit:
        last, stop, state = model.frame(mem, last, state)
        mels.append(last)
        if stop.item() > 0.5:
            break
    with torch.no_grad():
        return vocoder(torch.stack(mels, -1)).cpu()


if __name__ == "__main__":
    net = Decoder().cuda()
    net.load_state_dict(torch.load("tts.pt", map_location="cpu"))
    wav = speak(net, HifiGan("universal").cuda().eval(), "Platform four, the train to Leeds is delayed.")
