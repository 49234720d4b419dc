import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


class Session:
    def __init__(self, repo, dtype=torch.float16):
        self.tok = AutoTokenizer.from_pretrained(repo)
        self.lm = AutoModelForCausalLM.from_pretrained(repo, torch_dtype=dtype, device_map="cuda")
        self.cache = None

    def _pick(self, logits, top_k=40):
        v, i = logits.topk(top_k)
        return i.gather(-1, torch.multinomial(v.softmax(-1), 1))

    def reply(self, text, n=400):
        feed = self.tok(text, return_tensors="pt").input_ids.to("cuda")
        words = []
        for _ in range(n):
            res = self.lm(input_ids=feed, past_key_values=self.cache, use_cache=True)
            self.cache = res.past_key_values
            feed = self._pick(res.logits[:, -1])
            if feed.item() == self.tok.eos_token_id:
                break
            words.append(feed.item())
        return self.tok.decode(words)


if __name__ == "__main__":
    s = Session("meta-llama/Llama-3.2-1B-Instruct")
    while True:
        print(s.reply(input("> ")))
