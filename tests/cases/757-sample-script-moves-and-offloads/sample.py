import torch
from diffusers import AutoencoderKL, EulerDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel
from transformers import CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

ROOT = "weights/studio-xl"


def infer(prompt):
    parts = dict(
        text_encoder=CLIPTextModel.from_pretrained(ROOT, subfolder="text_encoder").half(),
        text_encoder_2=CLIPTextModelWithProjection.from_pretrained(ROOT, subfolder="text_encoder_2").half(),
        tokenizer=CLIPTokenizer.from_pretrained(ROOT, subfolder="tokenizer"),
        tokenizer_2=CLIPTokenizer.from_pretrained(ROOT, subfolder="tokenizer_2"),
        unet=UNet2DConditionModel.from_pretrained(ROOT, subfolder="unet").half(),
        vae=AutoencoderKL.from_pretrained(ROOT, subfolder="vae").half(),
        scheduler=EulerDiscreteScheduler.from_pretrained(ROOT, subfolder="scheduler"),
    )
    pipe = StableDiffusionXLPipeline(**parts, force_zeros_for_empty_prompt=False)
    pipe = pipe.to("cuda")
    pipe.enable_model_cpu_offload()
    image = pipe(prompt, num_inference_steps=40, generator=torch.Generator("cuda").manual_seed(66)).images[0]
    image.save("sample.png")


if __name__ == "__main__":
    infer("a ladybird on a ruler")
