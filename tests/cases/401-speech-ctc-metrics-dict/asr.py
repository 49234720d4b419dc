import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from speech import Utterances, Conformer, pad_batch

device = "cuda" if torch.cuda.is_available() else "cpu"
net = Conformer(80, 256, n_tokens=48).to(device)
optim = torch.optim.AdamW(net.parameters(), lr=5e-4)
loaders = {
    "train": DataLoader(Utterances("train-clean"), 24, shuffle=True, collate_fn=pad_batch),
    "dev": DataLoader(Utterances("dev-clean"), 24, collate_fn=pad_batch),
}


def ctc(batch):
    feats, feat_len, toks, tok_len = batch
    log_probs, out_len = net(feats.to(device), feat_len)
    return F.ctc_loss(log_probs.transpose(0, 1), toks.to(device), out_len, tok_len, zero_infinity=True)


for epoch in range(60):
    stats = {"train": 0.0, "dev": 0.0}
    net.train()
    for batch in loaders["train"]:
        optim.zero_grad(set_to_none=True)
        loss = ctc(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optim.step()
        stats["train"] += loss
    net.eval()
    for batch in loaders["dev"]:
        stats["dev"] += ctc(batch)
    print(epoch, {k: float(v) / len(loaders[k]) for k, v in stats.items()})
