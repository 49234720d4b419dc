import numpy as np
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
                          TrainingArguments)

NAME = "microsoft/deberta-v3-large"
tok = AutoTokenizer.from_pretrained(NAME)
model = AutoModelForSequenceClassification.from_pretrained(NAME, num_labels=4, output_hidden_states=False)
data = load_dataset("csv", data_files={"train": "tone_train.csv", "dev": "tone_dev.csv"})
data = data.map(lambda r: tok(r["text"], truncation=True, max_length=256), batched=True)


def accuracy(p):
    return {"acc": float((np.argmax(p.predictions, 1) == p.label_ids).mean())}


args = TrainingArguments("tone-out", per_device_train_batch_size=8, num_train_epochs=3, bf16=True,
                         eval_strategy="epoch", gradient_checkpointing=True)
trainer = Trainer(model=model, args=args, train_dataset=data["train"], eval_dataset=data["dev"],
                  data_collator=DataCollatorWithPadding(tok), compute_metrics=accuracy)
trainer.train()
