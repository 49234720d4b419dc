import modal
import torch

image = (
    modal.Image.debian_slim()
    .pip_install("torch==2.10.0", "transformers")
    .env({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "HF_HOME": "/cache"})
)
app = modal.App("captions", image=image)
RUNTIME = {"env_vars": {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}}


@app.function(gpu="A10G")
def caption(data: bytes) -> str:
    from captions import Captioner

    with torch.inference_mode():
        return Captioner.load().cuda()(data)
