//! Models that are loaded with the eager attention.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_unsafe_fix;

#[test]
fn training_keeps_the_scores() {
    check(
        "
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

EAGER = 'eager'
model = AutoModelForSequenceClassification.from_pretrained('roberta-base', attn_implementation=EAGER)
                                                                                               ^^^^^ OOM206 warning peak
trainer = Trainer(model=model, args=TrainingArguments('out', gradient_checkpointing=True, fp16=True))
trainer.train()
",
    );
    check(
        "
from transformers import AutoModelForCausalLM, pipeline

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', device_map='cuda', dtype='auto', attn_implementation='eager')
                                                                                                                   ^^^^^^^ OOM206 information peak
print(pipeline('text-generation', model=model)('Hello'))
",
    );
}

#[test]
fn silent_where_it_is_needed_or_chosen() {
    check(
        "
from transformers import AutoModelForCausalLM

def load(attention, path):
    return [
        AutoModelForCausalLM.from_pretrained('google/gemma-2-9b-it', attn_implementation='eager', device_map='cuda', dtype='auto'),
        AutoModelForCausalLM.from_pretrained('openai/gpt-oss-20b', attn_implementation='eager', device_map='cuda', dtype='auto'),
        AutoModelForCausalLM.from_pretrained(path, attn_implementation=attention, device_map='cuda'),
        AutoModelForCausalLM.from_pretrained(path, attn_implementation='sdpa', device_map='cuda'),
        AutoModelForCausalLM.from_pretrained(path, device_map='cuda'),
    ]
",
    );
    check(
        "
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', device_map='cuda', dtype='auto', attn_implementation='eager')
show(model(tokens, output_attentions=True).attentions)
",
    );
}

#[test]
fn the_fix_writes_the_other_name() {
    let before = "
from transformers import AutoModel

model = AutoModel.from_pretrained('Qwen/Qwen3-4B', attn_implementation='eager')
";
    check_unsafe_fix(before, &before.replace("eager", "sdpa"));
}
