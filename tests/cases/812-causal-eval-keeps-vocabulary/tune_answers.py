import evaluate
import numpy as np
import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import (AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq, Trainer, TrainingArguments)

base = "meta-llama/Llama-3.1-8B"
tokenizer = AutoTokenizer.from_pretrained(base)
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained(base, torch_dtype=torch.bfloat16)
model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
model.enable_input_require_grads()
model.gradient_checkpointing_enable()
rouge = evaluate.load("rouge")


def encode(row):
    q = tokenizer(row["question"], add_special_tokens=False)["input_ids"]
    a = tokenizer(row["answer"] + tokenizer.eos_token, add_special_tokens=False)["input_ids"]
    return {"input_ids": (q + a)[:512], "labels": ([-100] * len(q) + a)[:512]}


def score(pred):
    ids = np.argmax(pred.predictions, axis=-1)
    labels = np.where(pred.label_ids == -100, tokenizer.pad_token_id, pred.label_ids)
    return rouge.compute(predictions=tokenizer.batch_decode(ids, skip_special_tokens=True),
                         references=tokenizer.batch_decode(labels, skip_special_tokens=True))


raw = load_dataset("json", data_files="answers.jsonl", split="train").train_test_split(0.1, seed=3)
sets = raw.map(encode, remove_columns=["question", "answer"])
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="answers-lora", per_device_train_batch_size=4, per_device_eval_batch_size=4,
        gradient_accumulation_steps=8, num_train_epochs=2, eval_strategy="steps", eval_steps=100,
        bf16=True, logging_steps=10, learning_rate=2e-4),
    train_dataset=sets["train"],
    eval_dataset=sets["test"],
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    compute_metrics=score,
)
trainer.train()
model.save_pretrained("answers-lora/final")
