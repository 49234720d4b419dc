import torch
from datasets import load_dataset
from transformers import (AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer,
                          TrainingArguments)

BASE = "Qwen/Qwen2.5-1.5B"
tok = AutoTokenizer.from_pretrained(BASE)
model = AutoModelForCausalLM.from_pretrained(BASE, torch_dtype=torch.bfloat16)
data = load_dataset("text", data_files="law.txt", split="train")
data = data.map(lambda row: tok(row["text"], truncation=True, max_length=4096), remove_columns=["text"])
args = TrainingArguments(
    output_dir="law",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=16,
    bf16=True,
    num_train_epochs=2,
)
Trainer(model=model, args=args, train_dataset=data, data_collator=DataCollatorForLanguageModeling(tok, mlm=False)).train()
