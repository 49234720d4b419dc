import sys
import soundfile as sf
import torch
from torch import nn
from phonemes import to_ids
from layers import Attention, Postnet, Prenet
from hifi import load_vocoder


class Reader(nn.Module):
    def __init__(self, n_symbols=148, mel=80, dim=1024):
        super().__init__()
        self.embed = nn.Embedding(n_symbols, 512)
        self.encoder = nn.LSTM(512, 256, batch_first=True, bidirectional=True)
        self.prenet, self.attn = Prenet(mel, 256), Attention(dim, 512)
        self.cell = nn.LSTMCell(256 + 512, dim)
        self.frame, self.stop = nn.Linear(dim + 512, mel), nn.Linear(dim + 512, 1)
        self.postnet = Postnet(mel)

    def synthesize(self, ids, limit=4000):
        memory, _ = self.encoder(self.embed(ids))
        frame = memory.new_zeros(1, 80)
        h = c = memory.new_zeros(1, 1024)
        ctx = memory.new_zeros(1, 512)
        frames = []
        while len(frames) < limit:
            h, c = self.cell(torch.cat([self.prenet(frame), ctx], -1), (h, c))
            ctx = self.attn(h, memory)
            both = torch.cat([h, ctx], -1)
            frame = self.frame(both)
            frames.append(frame)
            if torch.sigmoid(self.stop(both)).item() > 0.5:
                break
        mel = torch.stack(frames, 2)
        return mel + self.postnet(mel)


if __name__ == "__main__":
    net = Reader().cuda()
    net.load_state_dict(torch.load("reader.pt", map_location="cpu")["model"])
    net.eval()
    vocoder = load_vocoder("hifi.pt").cuda().eval()
    ids = torch.tensor([to_ids(sys.argv[1])]).cuda()
    mel = net.synthesize(ids)
    with torch.no_grad():
        wav = vocoder(mel.detach()).squeeze().cpu()
    sf.write("out.wav", wav.numpy(), 22050)
