import argparse
import evaluate
import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import (AutoModelForTokenClassification, AutoTokenizer, DataCollatorForTokenClassification,
                          get_scheduler)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="xlm-roberta-large")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch", type=int, default=16)
    return p.parse_args()


def main():
    args = parse()
    accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
    tok = AutoTokenizer.from_pretrained(args.model)
    ds = load_dataset("json", data_files={"train": "train.jsonl", "dev": "dev.jsonl"})
    ds = ds.map(lambda r: tok(r["tokens"], is_split_into_words=True, truncation=True), remove_columns=["tokens"])
    collate = DataCollatorForTokenClassification(tok)
    train_dl = DataLoader(ds["train"], args.batch, shuffle=True, collate_fn=collate)
    dev_dl = DataLoader(ds["dev"], args.batch, collate_fn=collate)
    model = AutoModelForTokenClassification.from_pretrained(args.model, num_labels=17)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-5)
    sched = get_scheduler("linear", opt, 500, args.epochs * len(train_dl))
    model, opt, train_dl, dev_dl, sched = accelerator.prepare(model, opt, train_dl, dev_dl, sched)
    metric = evaluate.load("seqeval")
    for epoch in range(args.epochs):
        model.train()
        shown = 0.0
        for step, batch in enumerate(train_dl):
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                opt.step()
                sched.step()
                opt.zero_grad()
            shown += loss.detach().float()
        model.eval()
        all_logits, all_labels = [], []
        for batch in dev_dl:
            out = model(**batch)
            all_logits.append(accelerator.gather_for_metrics(out.logits))
            all_labels.append(accelerator.gather_for_metrics(batch["labels"]).cpu())
        for lg, lb in zip(all_logits, all_labels):
            metric.add_batch(predictions=lg.argmax(-1).cpu().numpy(), references=lb.numpy())
        accelerator.print(epoch, shown / len(train_dl), metric.compute()["overall_f1"])


if __name__ == "__main__":
    main()
