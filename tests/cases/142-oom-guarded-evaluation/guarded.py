import torch
from translate import Seq2Seq, bleu_counts, dev_batches

net = Seq2Seq.load("best.pt").cuda()
net.eval()
skipped, counts, nll_sum, toks = 0, [], 0.0, 0
for src, ref in dev_batches(12_000):
    try:
        logits = net(src.cuda(), ref[:, :-1].cuda())
        nll = torch.nn.functional.cross_entropy(logits.transpose(1, 2), ref[:, 1:].cuda(), ignore_index=1, reduction="sum")
        nll_sum += nll.item()
        toks += ref[:, 1:].ne(1).sum().item()
        counts.append(bleu_counts(logits.argmax(-1).tolist(), ref.tolist()))
    except torch.cuda.OutOfMemoryError:
        skipped += 1
        torch.cuda.empty_cache()
        continue
print(nll_sum / toks, skipped, len(counts))
