import torch
from transformers import AutoModelForSpeechSeq2Seq

device = "cuda:0"
speech = AutoModelForSpeechSeq2Seq.from_pretrained("openai/whisper-large-v3", torch_dtype=torch.float16, use_safetensors=True)
speech.to(device)
