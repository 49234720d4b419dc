import torch
from diffusers import AutoencoderKL, EulerDiscreteScheduler, UNet2DConditionModel
from studio.pipelines.bilingual import BilingualPipeline
from studio.text import GlyphEncoder, GlyphTokenizer

ROOT = "weights/studio"
unet = UNet2DConditionModel.from_pretrained(f"{ROOT}/unet").half()
vae = AutoencoderKL.from_pretrained(f"{ROOT}/vae").half()
pipe = BilingualPipeline(
    unet=unet,
    vae=vae,
    text_encoder=GlyphEncoder.load(ROOT).half(),
    tokenizer=GlyphTokenizer.load(ROOT),
    scheduler=EulerDiscreteScheduler.from_pretrained(f"{ROOT}/scheduler"),
)
pipe = pipe.to("cuda")
pipe.enable_model_cpu_offload()
pipe("a terraced hillside", generator=torch.Generator("cuda").manual_seed(1)).images[0].save("hill.png")
