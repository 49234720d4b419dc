import torch
from captions import Captioner, test_images

net = Captioner.load("cap.pt").cuda().eval()
WIDTH, END = 5, 2


def describe(img):
    with torch.no_grad():
        mem = net.encode(img.cuda()).expand(WIDTH, -1, -1)
        h, c = net.start(mem)
        seqs, score, done = torch.ones(WIDTH, 1, dtype=torch.long, device="cuda"), torch.zeros(WIDTH, 1, device="cuda"), []
        for _ in range(60):
            logp, h, c = net.step(seqs[:, -1], h, c, mem)
            score = score + logp
            best, flat = score.view(-1).topk(WIDTH)
            row, word = flat // logp.size(1), flat % logp.size(1)
            seqs, h, c, score = torch.cat([seqs[row], word[:, None]], 1), h[row], c[row], best[:, None]
            done += [(s.tolist(), v.item()) for s, v, w in zip(seqs, best, word) if w == END]
        return max(done, key=lambda d: d[1], default=(seqs[0].tolist(), 0))[0]


texts = [describe(img) for img, _ in test_images()]
print(len(texts))
