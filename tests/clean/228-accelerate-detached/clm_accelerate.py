import math

import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM, get_scheduler
from clm_data import eval_dataloader, train_dataloader

accelerator = Accelerator(gradient_accumulation_steps=2)
model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-160m")
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
lr_scheduler = get_scheduler("cosine", optimizer, 100, 5000)
model, optimizer, train_dataloader, eval_dataloader, lr_scheduler = accelerator.prepare(
    model, optimizer, train_dataloader, eval_dataloader, lr_scheduler
)
for epoch in range(3):
    model.train()
    total_loss = 0
    for batch in train_dataloader:
        with accelerator.accumulate(model):
            outputs = model(**batch)
            loss = outputs.loss
            total_loss += loss.detach().float()
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
    model.eval()
    losses = []
    for batch in eval_dataloader:
        with torch.no_grad():
            outputs = model(**batch)
        losses.append(accelerator.gather_for_metrics(outputs.loss.repeat(8)))
    ppl = math.exp(torch.mean(torch.cat(losses)))
    accelerator.print(epoch, total_loss.item() / len(train_dataloader), ppl)
