from trl import SFTConfig, SFTTrainer
from unsloth import FastLanguageModel
from diaries import rows

model, tok = FastLanguageModel.from_pretrained("unsloth/Llama-3.2-1B", load_in_4bit=True, max_seq_length=2048)
model = FastLanguageModel.get_peft_model(model, r=16, use_gradient_checkpointing="unsloth")
SFTTrainer(model=model, train_dataset=rows(), args=SFTConfig("out")).train()
