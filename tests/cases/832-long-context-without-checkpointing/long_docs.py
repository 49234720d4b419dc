import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import (AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer,
                          TrainingArguments)

BASE, CTX = "mistralai/Mistral-7B-v0.3", 8192
tok = AutoTokenizer.from_pretrained(BASE)
tok.pad_token = tok.eos_token
model = AutoModelForCausalLM.from_pretrained(BASE, torch_dtype=torch.bfloat16, attn_implementation="flash_attention_2")
model.config.use_cache = False
model = get_peft_model(model, LoraConfig(r=32, lora_alpha=64, target_modules="all-linear", task_type="CAUSAL_LM"))
model.print_trainable_parameters()
raw = load_dataset("json", data_files="reports.jsonl", split="train")
train = raw.map(lambda r: tok(r["text"], truncation=True, max_length=CTX), remove_columns=raw.column_names)
args = TrainingArguments(
    "reports-lora",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=16,
    num_train_epochs=1,
    learning_rate=1e-4,
    bf16=True,
    logging_steps=5,
    save_total_limit=2,
)
trainer = Trainer(model=model, args=args, train_dataset=train,
                  data_collator=DataCollatorForLanguageModeling(tok, mlm=False))
trainer.train()
