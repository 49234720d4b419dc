//! Training without gradient checkpointing.

use crate::rules::tests::fixing::check_unsafe_fix;
use crate::rules::tests::{check, check_with};

/// A script that trains with the `Trainer`.
fn trainer(load: &str, options: &str) -> String {
    format!(
        "
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from data import rows

{load}
args = TrainingArguments({options})
trainer = Trainer(model, args, train_dataset=rows())
trainer.train()
"
    )
}

/// A script that trains in a loop.
fn training_loop(load: &str) -> String {
    format!(
        "
import torch
from transformers import AutoModelForCausalLM
from data import batches

{load}
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in batches():
    loss = model(**batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"
    )
}

const LOAD: &str = "model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')";

#[test]
fn at_the_options_of_the_trainer() {
    let marked = trainer(LOAD, "'out', bf16=True")
        .replace("trainer = ", "#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM117 hint peak\ntrainer = ");
    check(&marked);
}

#[test]
fn at_the_load_of_a_model_that_a_loop_trains() {
    let marked = training_loop(&format!(
        "{LOAD}
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM117 hint peak
model.cuda()"
    ));
    check(&marked);
}

#[test]
fn silent_where_it_is_decided() {
    for options in [
        "'out', gradient_checkpointing=True",
        "'out', gradient_checkpointing=False",
        "'out', gradient_checkpointing=flag()",
        "'out', activation_checkpointing=True",
        "'out', deepspeed='ds.json'",
        "'out', fsdp='full_shard', fsdp_config={'activation_checkpointing': True}",
        "**options()",
    ] {
        check(&trainer(LOAD, options));
    }
    for more in [
        "model.gradient_checkpointing_enable()",
        "model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={'use_reentrant': False})",
        "model.gradient_checkpointing_disable()",
    ] {
        check(&trainer(&format!("{LOAD}\n{more}"), "'out'"));
        check(&training_loop(&format!("{LOAD}\n{more}")));
    }
}

#[test]
fn silent_for_libraries_that_do_it_themselves() {
    check(
        "
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
from data import rows

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')
trainer = SFTTrainer(model=model, args=SFTConfig('out'), train_dataset=rows())
trainer.train()
",
    );
    check(
        "
from peft import prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from data import rows

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')
model = prepare_model_for_kbit_training(model)
trainer = Trainer(model=model, args=TrainingArguments('out'), train_dataset=rows())
trainer.train()
",
    );
}

/// A script that trains a model with an adapter.
fn adapted(config: &str, options: &str) -> String {
    let load = format!("{LOAD}\nconfig = {config}\nmodel = get_peft_model(model, config)");
    trainer(&load, options).replace("from data", "from peft import *\nfrom data")
}

#[test]
fn silent_for_prompts_that_are_learnt() {
    for config in
        ["PrefixTuningConfig()", "PromptTuningConfig(num_virtual_tokens=8)", "PromptEncoderConfig()"]
    {
        let (class, _) = config.split_once('(').unwrap_or_default();
        let import = format!("import {class}, get_peft_model");
        check(&adapted(config, "'out'").replace("import *", &import));
    }
}

#[test]
fn an_adapter_needs_checkpointing_without_reentry() {
    let script = |options: &str| {
        adapted("LoraConfig()", options).replace("import *", "import LoraConfig, get_peft_model")
    };
    check_unsafe_fix(
        &script("'out', bf16=True"),
        &script(
            "'out', bf16=True, gradient_checkpointing=True, gradient_checkpointing_kwargs={\"use_reentrant\": False}",
        ),
    );
    check_unsafe_fix(
        &script("\n    'out',\n    bf16=True,\n"),
        &script(
            "\n    'out',\n    bf16=True,\n    gradient_checkpointing=True,\n    gradient_checkpointing_kwargs={\"use_reentrant\": False},\n",
        ),
    );
}

#[test]
fn silent_where_an_optimizer_is_all_there_is() {
    check(&training_loop(LOAD).replace("    loss.backward()\n", ""));
}

#[test]
fn silent_where_nothing_trains() {
    check(&trainer(LOAD, "'out'").replace("trainer.train()", "trainer.evaluate()"));
    check(
        "
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B').cuda()
print(model.generate(max_new_tokens=8))
",
    );
}

#[test]
fn the_option_in_the_form_of_the_others() {
    for (before, after) in [
        ("'out'", "'out', gradient_checkpointing=True"),
        ("output_dir='out',", "output_dir='out', gradient_checkpointing=True,"),
        (
            "\n    'out',\n    bf16=True,\n",
            "\n    'out',\n    bf16=True,\n    gradient_checkpointing=True,\n",
        ),
        ("\n    'out',\n    bf16=True\n", "\n    'out',\n    bf16=True,\n    gradient_checkpointing=True\n"),
        (
            "\n    'out',\n    bf16=True,  # fast\n",
            "\n    'out',\n    bf16=True,  # fast\n    gradient_checkpointing=True,\n",
        ),
        (
            "\n    'out',\n    bf16=True  # fast\n",
            "\n    'out',\n    bf16=True,  # fast\n    gradient_checkpointing=True\n",
        ),
    ] {
        check_unsafe_fix(&trainer(LOAD, before), &trainer(LOAD, after));
    }
}

#[test]
fn the_call_behind_the_load() {
    let enabled = format!("{LOAD}\nmodel.gradient_checkpointing_enable()\nmodel.config.use_cache = False");
    check_unsafe_fix(&training_loop(LOAD), &training_loop(&enabled));
    let set = "model.config.use_cache = False";
    check_unsafe_fix(
        &training_loop(&format!("{LOAD}.to('cuda')\n{set}")),
        &training_loop(&format!("{LOAD}.to('cuda')\nmodel.gradient_checkpointing_enable()\n{set}")),
    );
    let classifier = LOAD.replace("ForCausalLM", "ForSequenceClassification");
    let import = |script: String| {
        script.replace("import AutoModelForCausalLM", "import AutoModelForSequenceClassification")
    };
    check_unsafe_fix(
        &import(training_loop(&classifier)),
        &import(training_loop(&format!("{classifier}\nmodel.gradient_checkpointing_enable()"))),
    );
}

#[test]
fn the_new_spelling_removes_the_finding_too() {
    check_with(&[("transformers", "5.23.0")], &trainer(LOAD, "'out', activation_checkpointing=True"));
    check_with(
        &[("transformers", "5.23.0")],
        &trainer(&format!("{LOAD}\nmodel.activation_checkpointing_enable()"), "'out'"),
    );
}
