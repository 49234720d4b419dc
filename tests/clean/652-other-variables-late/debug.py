import os

import torch
from moths import MothNet, moth_loader

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["NCCL_DEBUG"] = "WARN"
os.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"
os.environ.pop("PYTORCH_CUDA_ALLOC_CONF", None)
os.environ["MY_PYTORCH_CUDA_ALLOC_CONF_NOTE"] = "max_split_size_mb=1"

net = MothNet().cuda()
opt = torch.optim.SGD(net.parameters(), 0.01)
for x, y in moth_loader():
    opt.zero_grad()
    torch.nn.functional.nll_loss(net(x.cuda()), y.cuda()).backward()
    opt.step()
