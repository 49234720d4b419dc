import torch
from torch import nn
from parallel import Seq2Seq, vocab


class Translator:
    def __init__(self, model: Seq2Seq, beam=5, limit=128):
        self.model, self.beam, self.limit = model.eval(), beam, limit

    def search(self, mem):
        seqs = torch.full((self.beam, 1), vocab.bos, device=mem.device)
        scores = torch.tensor([0.0] + [-1e9] * (self.beam - 1), device=mem.device)
        cache = None
        for _ in range(self.limit):
            logits, cache = self.model.decode(seqs[:, -1:], mem, cache)
            lp = logits[:, -1].log_softmax(-1) + scores[:, None]
            scores, flat = lp.flatten().topk(self.beam)
            rows = flat // lp.size(1)
            seqs = torch.cat([seqs[rows], (flat % lp.size(1))[:, None]], 1)
            cache = cache.index_select(1, rows)
            if (seqs[:, -1] == vocab.eos).all():
                break
        return seqs[scores.argmax()]

    @torch.no_grad()
    def translate(self, lines, device="cuda"):
        out = []
        for line in lines:
            src = vocab.encode(line).unsqueeze(0).to(device)
            mem = self.model.encode(src).expand(self.beam, -1, -1)
            out.append(vocab.decode(self.search(mem).tolist()))
        return out


if __name__ == "__main__":
    net = Seq2Seq(len(vocab), 512).cuda()
    net.load_state_dict(torch.load("ende.pt", map_location="cpu"))
    print("\n".join(Translator(net).translate(open("newstest.en"))))
