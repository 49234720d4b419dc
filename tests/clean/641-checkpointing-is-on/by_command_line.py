from dataclasses import dataclass, field

from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
from letters import rows


@dataclass
class Base:
    name: str = field(default="EleutherAI/pythia-1.4b")


base, args = HfArgumentParser((Base, TrainingArguments)).parse_args_into_dataclasses()
Trainer(model=AutoModelForCausalLM.from_pretrained(base.name), args=args, train_dataset=rows()).train()
