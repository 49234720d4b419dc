import torch
from diffusers import CogVideoXPipeline
from diffusers.utils import export_to_video

pipe = CogVideoXPipeline.from_pretrained("THUDM/CogVideoX-2b", torch_dtype=torch.float16)
pipe.enable_group_offload(onload_device=torch.device("cuda"), offload_device=torch.device("cpu"), offload_type="leaf_level")
pipe.enable_model_cpu_offload()
export_to_video(pipe("waves against a mole", num_frames=49).frames[0], "waves.mp4", fps=8)
