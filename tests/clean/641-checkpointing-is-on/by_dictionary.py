import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from letters import rows

with open("train.yaml") as handle:
    options = yaml.safe_load(handle)
model = AutoModelForCausalLM.from_pretrained(options.pop("base"))
args = TrainingArguments(**options)
Trainer(model=model, args=args, train_dataset=rows()).train()
