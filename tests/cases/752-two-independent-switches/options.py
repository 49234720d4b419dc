import torch
from diffusers import AutoPipelineForImage2Image


class Engine:
    def __init__(self):
        self.pipe = AutoPipelineForImage2Image.from_pretrained("stabilityai/sdxl-turbo", torch_dtype=torch.float16)

    def apply(self, options):
        if options.attention_slicing:
            self.pipe.enable_attention_slicing()
        if options.cpu_offload:
            self.pipe.enable_model_cpu_offload()
        if options.device is not None:
            self.pipe = self.pipe.to("cuda")
