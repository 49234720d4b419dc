import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, get_cosine_schedule_with_warmup
from corpora import Packed

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", torch_dtype=torch.bfloat16).to("cuda")
model.train()
opt = torch.optim.AdamW(model.parameters(), lr=2e-5)
loader = DataLoader(Packed(8192), batch_size=1, shuffle=True)
schedule = get_cosine_schedule_with_warmup(opt, 100, len(loader))
for ids in loader:
    ids = ids.to("cuda")
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    opt.step()
    schedule.step()
    opt.zero_grad()
model.save_pretrained("out")
