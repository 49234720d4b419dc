import torch
from diffusers import StableDiffusionPipeline
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, pipeline

tok = AutoTokenizer.from_pretrained("google/flan-t5-base")
t5 = AutoModelForSeq2SeqLM.from_pretrained("google/flan-t5-base").to("cuda").eval()
mood = pipeline("sentiment-analysis", model="distilbert-base-uncased-finetuned-sst-2-english", device=0)
paint = StableDiffusionPipeline.from_pretrained("sd-legacy/stable-diffusion-v1-5", torch_dtype=torch.float16).to("cuda")

captions, moods, images = [], [], []
for line in open("scenes.txt"):
    ids = tok("Describe: " + line, return_tensors="pt").input_ids.to("cuda")
    out = t5.generate(ids, max_new_tokens=40)
    captions.append(tok.decode(out[0], skip_special_tokens=True))
    moods += mood(captions[-1])
    images.append(paint(captions[-1]).images[0])
for i, im in enumerate(images):
    im.save(f"{i}.png")
