import os

import torch
from torch.nn.parallel import DistributedDataParallel as DDP
from speech import ConformerCTC, shards

rank = int(os.environ["LOCAL_RANK"])
torch.distributed.init_process_group("nccl")
torch.cuda.set_device(rank)
net = DDP(ConformerCTC(80, 5000).cuda(), device_ids=[rank])
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
ctc = torch.nn.CTCLoss(zero_infinity=True)
ACCUM = 8
window = torch.tensor(0.0, device=f"cuda:{rank}")

for n, (feat, feat_len, text, text_len) in enumerate(shards(rank)):
    logp, out_len = net(feat.cuda(), feat_len)
    micro = ctc(logp.transpose(0, 1), text, out_len, text_len) / ACCUM
    micro.backward()
    window = micro + window
    if (n + 1) % ACCUM == 0:
        opt.step()
        opt.zero_grad()
    if (n + 1) % 10_000 == 0:
        torch.distributed.all_reduce(window)
        print(rank, window.item())
        window = torch.tensor(0.0, device=f"cuda:{rank}")
