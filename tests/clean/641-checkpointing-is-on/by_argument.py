from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from letters import rows

model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-1.4b")
args = TrainingArguments("letters", per_device_train_batch_size=2, gradient_checkpointing=True, bf16=True)
Trainer(model=model, args=args, train_dataset=rows()).train()
