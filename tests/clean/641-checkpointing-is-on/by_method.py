import torch
from transformers import AutoModelForCausalLM
from letters import loader

model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-1.4b", torch_dtype=torch.bfloat16).cuda()
model.config.use_cache = False
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
opt = torch.optim.AdamW(model.parameters())
for ids in loader():
    loss = model(input_ids=ids.cuda(), labels=ids.cuda()).loss
    loss.backward()
    opt.step()
    opt.zero_grad()
