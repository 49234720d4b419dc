from dataclasses import dataclass
import torch
from transformers import AutoModelForSeq2SeqLM


@dataclass
class Settings:
    base: str = "google/flan-t5-large"
    device: str = "cuda"


class Rewriter:
    dtype = torch.bfloat16

    def __init__(self, settings: Settings):
        self.settings = settings
        self.net = AutoModelForSeq2SeqLM.from_pretrained(self.settings.base, torch_dtype=self.dtype)
        self.net.to(self.settings.device)


rewriter = Rewriter(Settings())
