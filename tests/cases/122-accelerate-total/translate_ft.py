import argparse

import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, DataCollatorForSeq2Seq, get_scheduler

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="google-t5/t5-base")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--accum", type=int, default=4)
args = parser.parse_args()

accelerator = Accelerator(gradient_accumulation_steps=args.accum)
tok = AutoTokenizer.from_pretrained(args.model)
model = AutoModelForSeq2SeqLM.from_pretrained(args.model)


def prep(rows):
    return tok(rows["de"], text_target=rows["en"], truncation=True, max_length=128)


data = load_dataset("json", data_files="pairs.jsonl", split="train").map(prep, batched=True, remove_columns=["de", "en"])
loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=DataCollatorForSeq2Seq(tok, model=model))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
sched = get_scheduler("linear", optimizer, 500, args.epochs * len(loader))
model, optimizer, loader, sched = accelerator.prepare(model, optimizer, loader, sched)

for epoch in range(args.epochs):
    model.train()
    total_loss = 0
    for step, batch in enumerate(tqdm(loader, disable=not accelerator.is_local_main_process)):
        with accelerator.accumulate(model):
            outputs = model(**batch)
            accelerator.backward(outputs.loss)
            total_loss += outputs.loss
            optimizer.step()
            sched.step()
            optimizer.zero_grad()
    accelerator.print(epoch, total_loss.item() / len(loader))
