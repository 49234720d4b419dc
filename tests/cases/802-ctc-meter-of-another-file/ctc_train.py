import time
import torch
from torch import nn
from meters import AverageMeter
from speech import Alphabet, BucketLoader, Conformer, greedy_wer

alphabet = Alphabet("data/chars.txt")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Conformer(n_mels=80, d=512, layers=17, vocab=len(alphabet)).to(device)
ctc = nn.CTCLoss(zero_infinity=True)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-3, total_steps=120_000)
train_loader = BucketLoader("data/train.tsv", seconds=320, shuffle=True)
dev_loader = BucketLoader("data/dev.tsv", seconds=320)


def forward_loss(batch):
    mel, mel_len, text, text_len = (t.to(device, non_blocking=True) for t in batch)
    logits, out_len = model(mel, mel_len)
    return ctc(logits.log_softmax(-1).transpose(0, 1), text, out_len, text_len), logits


def train_one_epoch(epoch):
    model.train()
    losses, data_time = AverageMeter("loss"), AverageMeter("data")
    end = time.time()
    for i, batch in enumerate(train_loader):
        data_time.update(time.time() - end)
        loss, _ = forward_loss(batch)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        losses.update(loss, batch[0].size(0))
        end = time.time()
        if i % 100 == 0:
            print(epoch, i, losses, data_time)


def evaluate():
    model.eval()
    losses, wer = AverageMeter("dev"), AverageMeter("wer")
    for batch in dev_loader:
        loss, logits = forward_loss(batch)
        losses.update(loss, batch[0].size(0))
        wer.update(greedy_wer(logits.argmax(-1).tolist(), batch[2], alphabet), batch[0].size(0))
    return losses.avg, wer.avg


for epoch in range(60):
    train_one_epoch(epoch)
    print("dev", *evaluate())
