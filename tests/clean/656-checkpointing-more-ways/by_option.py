import argparse
import torch
from transformers import AutoModelForCausalLM
from diaries import loader

parser = argparse.ArgumentParser()
parser.add_argument("--gradient-checkpointing", action="store_true")
options = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-1.4b").cuda()
if options.gradient_checkpointing:
    model.gradient_checkpointing_enable()
opt = torch.optim.AdamW(model.parameters())
for ids in loader():
    model(input_ids=ids.cuda(), labels=ids.cuda()).loss.backward()
    opt.step()
    opt.zero_grad()
