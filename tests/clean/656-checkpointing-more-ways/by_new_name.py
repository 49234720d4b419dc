from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from diaries import rows

args = TrainingArguments("diaries", bf16=True, activation_checkpointing=True)
Trainer(model=AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-1.4b"), args=args, train_dataset=rows()).train()
