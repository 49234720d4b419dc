import os
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


class Ranker:
    def __init__(self, name):
        self.net = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="cuda:0")
        self.tok = AutoTokenizer.from_pretrained(name)

    @torch.inference_mode()
    def score(self, text):
        ids = self.tok(text, return_tensors="pt").to(self.net.device)
        return self.net(**ids, labels=ids["input_ids"]).loss.item()


class Tuned(Ranker):
    def __init__(self, name):
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
        super().__init__(name)


plain = Ranker("Qwen/Qwen2.5-0.5B-Instruct")
tuned = Tuned("Qwen/Qwen2.5-1.5B-Instruct")
for line in open("pairs.txt"):
    print(plain.score(line), tuned.score(line))
