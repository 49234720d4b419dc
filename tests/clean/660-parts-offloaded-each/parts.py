import torch
from diffusers import CogVideoXPipeline
from diffusers.hooks import apply_group_offloading
from diffusers.utils import export_to_video

card, host = torch.device("cuda"), torch.device("cpu")
pipe = CogVideoXPipeline.from_pretrained("THUDM/CogVideoX-2b", torch_dtype=torch.float16)
pipe.transformer.enable_group_offload(onload_device=card, offload_device=host, offload_type="leaf_level", use_stream=True)
apply_group_offloading(pipe.text_encoder, onload_device=card, offload_type="block_level", num_blocks_per_group=2)
pipe.vae.to("cuda")
pipe.vae.enable_tiling()
export_to_video(pipe("gulls over a landfill", num_frames=49).frames[0], "gulls.mp4", fps=8)
