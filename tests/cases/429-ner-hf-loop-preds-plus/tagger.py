import torch
from seqeval.metrics import f1_score
from torch.utils.data import DataLoader
from transformers import AutoModelForTokenClassification, DataCollatorForTokenClassification, get_linear_schedule_with_warmup
from conll import tokenizer, splits, LABELS

device = "cuda:0"
model = AutoModelForTokenClassification.from_pretrained("xlm-roberta-base", num_labels=len(LABELS))
model.to(device)
collate = DataCollatorForTokenClassification(tokenizer)
train_dl = DataLoader(splits["train"], batch_size=16, shuffle=True, collate_fn=collate)
dev_dl = DataLoader(splits["dev"], batch_size=32, collate_fn=collate)
optim = torch.optim.AdamW(model.parameters(), lr=3e-5)
sched = get_linear_schedule_with_warmup(optim, 100, 3 * len(train_dl))

for epoch in range(3):
    model.train()
    for batch in train_dl:
        batch = batch.to(device)
        out = model(**batch)
        out.loss.backward()
        optim.step()
        sched.step()
        optim.zero_grad()
    model.eval()
    outs, gold = [], []
    for batch in dev_dl:
        batch = batch.to(device)
        outs.append(model(**batch))
        gold.extend(batch["labels"].tolist())
    pred = [row for o in outs for row in o.logits.argmax(-1).tolist()]
    keep = [[(LABELS[p], LABELS[g]) for p, g in zip(ps, gs) if g != -100] for ps, gs in zip(pred, gold)]
    print(epoch, f1_score([[g for _, g in s] for s in keep], [[p for p, _ in s] for s in keep]))
