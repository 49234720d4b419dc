import os
import sys

import torch
from speech import Recogniser

WANTED = "expandable_segments:True,garbage_collection_threshold:0.8"

if os.environ.get("PYTORCH_CUDA_ALLOC_CONF") != WANTED:
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = WANTED
    os.execv(sys.executable, [sys.executable, *sys.argv])

model = Recogniser().cuda().eval()
with torch.inference_mode():
    for line in sys.stdin:
        print(model.transcribe(line.strip()))
