import numpy as np
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding,
                          EarlyStoppingCallback, Trainer, TrainingArguments)

NAME = "microsoft/deberta-v3-large"
LABELS = ["calm", "angry", "ironic", "sad"]
tok = AutoTokenizer.from_pretrained(NAME)
model = AutoModelForSequenceClassification.from_pretrained(
    NAME, num_labels=len(LABELS), output_hidden_states=True)
data = load_dataset("csv", data_files={"train": "tone_train.csv", "dev": "tone_dev.csv"})
data = data.map(lambda r: tok(r["text"], truncation=True, max_length=512), batched=True)


def accuracy(p):
    preds = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
    return {"acc": float((np.argmax(preds, 1) == p.label_ids).mean())}


args = TrainingArguments(
    "tone-out",
    per_device_train_batch_size=8,
    per_device_eval_batch_size=32,
    num_train_epochs=4,
    learning_rate=1e-5,
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    bf16=True,
    report_to=[],
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=data["train"],
    eval_dataset=data["dev"],
    data_collator=DataCollatorWithPadding(tok),
    compute_metrics=accuracy,
    callbacks=[EarlyStoppingCallback(2)],
)
trainer.train()
print(trainer.evaluate())
trainer.save_model("tone-final")
