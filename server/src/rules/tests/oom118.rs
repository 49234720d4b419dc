//! Reentrant checkpointing of adapters.

use crate::rules::tests::fixing::check_unsafe_fix;
use crate::rules::tests::{check, check_with};

const ADAPTED: &str = "model = get_peft_model(base, LoraConfig())";
const REENTRANT: &str =
    "'out', gradient_checkpointing=True, gradient_checkpointing_kwargs={'use_reentrant': True}";
const DEFAULT: &str = "'out', gradient_checkpointing=True";

fn script(adapted: &str, options: &str) -> String {
    format!(
        "
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

base = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B')
{adapted}
args = TrainingArguments({options})
Trainer(model, args, train_dataset=rows).train()
"
    )
}

#[test]
fn written_and_by_default() {
    let unknown = script(
        ADAPTED,
        "'out', gradient_checkpointing=True, gradient_checkpointing_kwargs={'use_reentrant': True})
#                                                                                          ^^^^^^^^^^^^^^^^^^^^^^^ OOM118 information none
print(args",
    );
    check(&unknown);
    check_with(&[("transformers", "4.57.6")], &unknown.replace("information", "warning"));
    check_with(
        &[("transformers", "4.46.3")],
        &script(
            ADAPTED,
            "'out', gradient_checkpointing=True)
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM118 warning none
print(args",
        ),
    );
}

#[test]
fn silent_where_inputs_take_gradients_or_the_kind_is_the_other() {
    for (adapted, options) in [
        (&*format!("{ADAPTED}\nmodel.enable_input_require_grads()"), REENTRANT),
        (&*format!("base.enable_input_require_grads()\n{ADAPTED}"), REENTRANT),
        (&*format!("base.gradient_checkpointing_enable()\n{ADAPTED}"), REENTRANT),
        ("model = get_peft_model(prepare_model_for_kbit_training(base), LoraConfig())", REENTRANT),
        (ADAPTED, &*REENTRANT.replace("{'use_reentrant': True}", "{'use_reentrant': False}")),
        (ADAPTED, "'out', gradient_checkpointing=flag"),
    ] {
        check_with(&[("transformers", "4.57.6")], &script(adapted, options));
    }
    check_with(&[("transformers", "5.0.0")], &script(ADAPTED, REENTRANT));
    check(&script(ADAPTED, DEFAULT));
}

#[test]
fn the_fix_chooses_the_other_kind() {
    let before = script(ADAPTED, REENTRANT);
    check_unsafe_fix(&before, &before.replace("'use_reentrant': True", "'use_reentrant': False"));
}
