import gc
import json
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline

GEN, JUDGE = "Qwen/Qwen2.5-7B-Instruct", "mistralai/Mistral-7B-Instruct-v0.3"
questions = [json.loads(line) for line in open("questions.jsonl")]

tok = AutoTokenizer.from_pretrained(GEN)
model = AutoModelForCausalLM.from_pretrained(GEN, torch_dtype=torch.bfloat16).to("cuda")
gen = pipeline("text-generation", model=model, tokenizer=tok)
answers = []
for q in questions:
    chat = [{"role": "user", "content": q["text"]}]
    out = gen(chat, max_new_tokens=400, do_sample=False)
    answers.append(out[0]["generated_text"][-1]["content"])

del model
gc.collect()
torch.cuda.empty_cache()

judge_tok = AutoTokenizer.from_pretrained(JUDGE)
judge = AutoModelForCausalLM.from_pretrained(JUDGE, torch_dtype=torch.bfloat16).to("cuda")
rows = []
for q, a in zip(questions, answers):
    text = f"Question: {q['text']}\nAnswer: {a}\nGrade from 1 to 5:"
    ids = judge_tok(text, return_tensors="pt").to("cuda")
    with torch.inference_mode():
        last = judge(**ids).logits[0, -1]
    digits = judge_tok.convert_tokens_to_ids(list("12345"))
    rows.append(int(last[digits].argmax()) + 1)
print(sum(rows) / len(rows))
json.dump(rows, open("grades.json", "w"))
