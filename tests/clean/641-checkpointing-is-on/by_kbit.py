import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
from letters import rows

model = AutoModelForCausalLM.from_pretrained(
    "EleutherAI/pythia-1.4b", quantization_config=BitsAndBytesConfig(load_in_4bit=True), device_map={"": 0}
)
model = prepare_model_for_kbit_training(model)
model = get_peft_model(model, LoraConfig(r=8, target_modules=["query_key_value"]))
Trainer(model=model, args=TrainingArguments("q", bf16=True), train_dataset=rows()).train()
