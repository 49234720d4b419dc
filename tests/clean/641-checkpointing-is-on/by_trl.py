from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    model="Qwen/Qwen2.5-0.5B",
    args=SFTConfig("out", per_device_train_batch_size=4, max_length=2048),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
)
trainer.train()
