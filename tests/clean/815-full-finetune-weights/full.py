from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer, TrainingArguments

BASE = "mistralai/Mistral-7B-v0.1"
tok = AutoTokenizer.from_pretrained(BASE)
net = AutoModelForCausalLM.from_pretrained(BASE)
data = load_dataset("json", data_files="notes.jsonl", split="train").map(lambda row: tok(row["text"]))
args = TrainingArguments("full", per_device_train_batch_size=1, gradient_checkpointing=True, bf16=True)
Trainer(model=net, args=args, train_dataset=data, data_collator=DataCollatorForLanguageModeling(tok, mlm=False)).train()
