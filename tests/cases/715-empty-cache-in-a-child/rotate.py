import os
import torch
from models import build, prompts

for name in ("small", "large"):
    model = build(name).cuda().eval()
    with torch.inference_mode():
        for prompt in prompts():
            print(model(prompt))
    model = None
    os.system('python -c "import torch; torch.cuda.empty_cache()"')
