//! Language models by transformers and what builds on it.

use super::models::{adapter, llama};
use super::{World, check, told};

/// A script that loads a language model and the estimate of the load under it.
fn load(call: &str, expected: &str) -> String {
    let carets = "^".repeat(call.chars().count());
    format!(
        "import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSequenceClassification, BitsAndBytesConfig
model = {call}
#       {carets} {expected}
"
    )
}

fn today() -> World {
    World::today().holding("./llama", llama())
}

fn last_year() -> World {
    World::last_year().holding("./llama", llama())
}

#[test]
fn the_default_type_follows_the_installed_version() {
    let call = r#"AutoModelForCausalLM.from_pretrained("./llama", device_map="cuda")"#;
    check(&today(), &load(call, "8.03B bfloat16 14.96 GiB"));
    check(&last_year(), &load(call, "8.03B float32 29.92 GiB"));
    let unknown = World::unknown().holding("./llama", llama());
    check(&unknown, &load(call, "8.03B bfloat16 or float32 14.96 GiB (14.96 GiB to 29.92 GiB)"));
}

#[test]
fn a_type_is_written_in_many_ways() {
    for said in
        ["torch_dtype=torch.float16", "dtype=torch.half", "torch_dtype=\"float16\"", "dtype='float16'"]
    {
        let call = format!("AutoModelForCausalLM.from_pretrained('./llama', device_map='cuda', {said})");
        check(&today(), &load(&call, "8.03B float16 14.96 GiB"));
    }
    let auto = "AutoModelForCausalLM.from_pretrained('./llama', device_map='cuda', torch_dtype='auto')";
    check(&last_year(), &load(auto, "8.03B bfloat16 14.96 GiB"));
}

#[test]
fn a_keyword_that_makes_older_versions_fail_is_taken_at_its_word() {
    let call = "AutoModelForCausalLM.from_pretrained('./llama', device_map='cuda', dtype=torch.bfloat16)";
    check(&World::unknown().holding("./llama", llama()), &load(call, "8.03B bfloat16 14.96 GiB"));
    let old = World::unknown().with("transformers", "4.50.0").holding("./llama", llama());
    check(&old, &load(call, "8.03B bfloat16 14.96 GiB"));
    let why = "transformers 4.50.0 in uv.lock does not know `dtype`, and the call fails";
    assert_eq!(told(&old, &load(call, ""), "dtype").first().map(String::as_str), Some(why));
}

#[test]
fn weights_are_cast_after_they_are_loaded() {
    let load = |after: &str| load(&format!("AutoModelForCausalLM.from_pretrained('./llama'){after}"), "");
    for (after, expected) in [
        (".half().cuda()", "8.03B float16 14.96 GiB"),
        (".to('cuda', torch.bfloat16)", "8.03B bfloat16 14.96 GiB"),
        (".to(device='cuda', dtype=torch.float16).eval()", "8.03B float16 14.96 GiB"),
        (".bfloat16().to('cuda:0')", "8.03B bfloat16 14.96 GiB"),
        // On the GPU in float32 first.
        (".to('cuda').half()", "8.03B float32 29.92 GiB"),
    ] {
        assert_eq!(super::headlines(&last_year(), &load(after)), [expected], "{after}");
    }
}

#[test]
fn what_no_line_moves_counts_as_if_it_were_moved() {
    check(&today(), &load("AutoModelForCausalLM.from_pretrained('./llama')", "8.03B bfloat16 14.96 GiB"));
}

#[test]
fn a_class_without_a_head_has_fewer_parameters() {
    check(&today(), &load("AutoModel.from_pretrained('./llama', device_map=0)", "7.50B bfloat16 13.98 GiB"));
    check(
        &today(),
        &load(
            "AutoModelForSequenceClassification.from_pretrained('./llama', device_map=0)",
            "about 7.50B bfloat16 13.98 GiB",
        ),
    );
}

#[test]
fn quantization_is_followed_to_where_it_is_described() {
    check(
        &today(),
        r#"
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained("./llama", quantization_config=config)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B 4-bit bitsandbytes 5.61 GiB
eight = AutoModelForCausalLM.from_pretrained("./llama", quantization_config=BitsAndBytesConfig(load_in_8bit=True))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B 8-bit bitsandbytes 8.46 GiB
"#,
    );
}

#[test]
fn the_old_switches_count_before_transformers_5() {
    let call = "AutoModelForCausalLM.from_pretrained('./llama', load_in_4bit=True, device_map='auto')";
    check(&last_year(), &load(call, "8.03B 4-bit bitsandbytes 5.61 GiB"));
    check(&today(), &load(call, "8.03B bfloat16 14.96 GiB"));
    // An older version quantizes, a newer one loads the type of the checkpoint; none loads it in float32.
    let unknown = World::unknown().holding("./llama", llama());
    let expected = "8.03B 4-bit bitsandbytes or bfloat16 5.61 GiB (5.45 GiB to 14.96 GiB)";
    check(&unknown, &load(call, expected));
}

#[test]
fn a_choice_is_both() {
    check(
        &today(),
        r#"
import torch
from transformers import AutoModelForCausalLM
device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.float32 if device == "cpu" else torch.float16
model = AutoModelForCausalLM.from_pretrained("./llama", dtype=dtype).to(device)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B float16 or float32 14.96 GiB (14.96 GiB to 29.92 GiB)
"#,
    );
}

#[test]
fn a_pipeline_of_a_task_goes_to_the_gpu_by_itself_in_newer_versions() {
    let script = |expected: &str| {
        format!(
            "from transformers import pipeline
generate = pipeline('text-generation', model='./llama')
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ {expected}
"
        )
    };
    check(&today(), &script("8.03B bfloat16 14.96 GiB"));
    let old = World::unknown().with("transformers", "4.40.0").holding("./llama", llama());
    check(&old, &script("8.03B float32 29.92 GiB"));
}

#[test]
fn a_trainer_moves_what_it_trains() {
    check(
        &today(),
        r#"
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("./llama")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B bfloat16 14.96 GiB
trainer = Trainer(model=model, args=TrainingArguments("out"), train_dataset=data)
trainer.train()
"#,
    );
}

#[test]
fn unsloth_quantizes_unless_told_otherwise() {
    check(
        &today(),
        r#"
from unsloth import FastLanguageModel
model, tokenizer = FastLanguageModel.from_pretrained("./llama", max_seq_length=2048)
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B 4-bit bitsandbytes 5.61 GiB
plain, tokenizer = FastLanguageModel.from_pretrained("./llama", load_in_4bit=False)
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B bfloat16 14.96 GiB
"#,
    );
}

#[test]
fn an_adapter_is_put_on_a_model_that_is_moved_later() {
    check(
        &today().without("me/adapter"),
        r#"
from transformers import AutoModelForCausalLM
from peft import PeftModel
base = AutoModelForCausalLM.from_pretrained("./llama")
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B bfloat16 14.96 GiB
model = PeftModel.from_pretrained(base, "me/adapter")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ The size of `me/adapter` is not known: it is neither in the catalog nor on this machine. Download it, or name the folder that it is in, and its files are read.
model.to("cuda")
"#,
    );
}

#[test]
fn a_name_that_is_not_a_constant_says_nothing() {
    check(
        &today(),
        r#"
import sys
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("./llama")
model = AutoModelForCausalLM.from_pretrained(sys.argv[1]).cuda()
"#,
    );
}

#[test]
fn a_model_is_loaded_by_a_function_of_the_file() {
    check(
        &today(),
        r#"
import torch
from transformers import AutoModelForCausalLM

def load(name, dtype):
    return AutoModelForCausalLM.from_pretrained(name, dtype=dtype)
    #      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B float16 14.96 GiB

for name in ["./llama"]:
    model = load(name, torch.float16).cuda()
"#,
    );
}

#[test]
fn a_pipeline_of_a_task_moves_the_model_it_is_given() {
    check(
        &today(),
        r#"
from transformers import AutoModelForCausalLM, pipeline
model = AutoModelForCausalLM.from_pretrained("./llama")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B bfloat16 14.96 GiB
generate = pipeline("text-generation", model=model, tokenizer=tokenizer, device=0)
"#,
    );
}

#[test]
fn options_that_are_passed_on_may_say_anything() {
    let call = "AutoModelForCausalLM.from_pretrained('./llama', device_map='cuda', **options())";
    check(&today(), &load(call, "8.03B bfloat16 or float32 14.96 GiB (14.96 GiB to 29.92 GiB)"));
}

#[test]
fn an_adapter_on_this_machine_brings_its_model_or_is_put_beside_it() {
    check(
        &today().holding("./adapter", adapter()),
        r#"
from transformers import AutoModelForCausalLM
from peft import AutoPeftModelForCausalLM, PeftModel
both = AutoPeftModelForCausalLM.from_pretrained("./adapter", device_map="cuda")
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.07B bfloat16+float32 15.11 GiB
base = AutoModelForCausalLM.from_pretrained("./llama", device_map="cuda")
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 8.03B bfloat16 14.96 GiB
beside = PeftModel.from_pretrained(base, "./adapter")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 41.9M float32 160.0 MiB
"#,
    );
}
