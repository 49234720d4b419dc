from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

tok = AutoTokenizer.from_pretrained("FacebookAI/roberta-large")
net = AutoModelForSequenceClassification.from_pretrained("FacebookAI/roberta-large", num_labels=12)
rows = load_dataset("json", data_files={"train": "tickets.jsonl"})["train"]
rows = rows.map(lambda row: tok(row["text"], truncation=True, max_length=512), batched=True)
options = TrainingArguments("tickets", per_device_train_batch_size=48, bf16=True, learning_rate=1e-5)
Trainer(net, options, train_dataset=rows, processing_class=tok).train()
