import torch
from peft import PrefixTuningConfig, TaskType, get_peft_model
from transformers import AutoModelForCausalLM
from complaints import loader

config = PrefixTuningConfig(task_type=TaskType.CAUSAL_LM, num_virtual_tokens=30)
model = AutoModelForCausalLM.from_pretrained("bigscience/bloomz-560m")
model = get_peft_model(model, config).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=3e-2)
for ids, labels in loader():
    model(input_ids=ids.cuda(), labels=labels.cuda()).loss.backward()
    opt.step()
    opt.zero_grad()
