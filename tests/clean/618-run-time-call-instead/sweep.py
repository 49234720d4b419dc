import torch
from mosses import MossNet, moss_batches

net = MossNet().cuda().eval()
torch.cuda.memory._set_allocator_settings("expandable_segments:True")
with torch.inference_mode():
    for size in (128, 256, 512):
        for batch in moss_batches(size):
            net(batch.cuda())
        torch.cuda.empty_cache()
        print(size, torch.cuda.max_memory_reserved())
        torch.cuda.reset_peak_memory_stats()
