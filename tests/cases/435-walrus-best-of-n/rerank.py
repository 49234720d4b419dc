import argparse
import json
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

ap = argparse.ArgumentParser()
ap.add_argument("candidates")
ap.add_argument("--rm", default="OpenAssistant/reward-model-deberta-v3-large-v2")
ap.add_argument("--device", default="cuda")
ap.add_argument("--max-length", type=int, default=1024)
args = ap.parse_args()

tok = AutoTokenizer.from_pretrained(args.rm)
rm = AutoModelForSequenceClassification.from_pretrained(args.rm, torch_dtype=torch.float16)
rm = rm.to(args.device).eval()


def reward(question, answer):
    enc = tok(question, answer, truncation=True, max_length=args.max_length, return_tensors="pt")
    return rm(**enc.to(args.device)).logits[0, 0]


best, all_scores = [], []
for line in open(args.candidates):
    row = json.loads(line)
    scored = [(r, a) for a in row["answers"] if (r := reward(row["q"], a)) > -5]
    all_scores.extend(r for r, _ in scored)
    best.append(max(scored, key=lambda t: t[0].item())[1] if scored else "")
mean = torch.stack(all_scores).float().mean().item()
print(f"{len(best)} prompts, mean reward {mean:.3f}")
