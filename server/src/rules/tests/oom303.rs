//! Loads in float32.

use super::{check, check_with};

const OLD: &[(&str, &str)] = &[("transformers", "4.57.1")];
const NEW: &[(&str, &str)] = &[("transformers", "5.2.0")];

#[test]
fn before_five_by_size() {
    check_with(
        OLD,
        "
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, pipeline

large = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B').to('cuda')
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM303 warning static
small = AutoModelForMaskedLM.from_pretrained('roberta-base').cuda()
generate = pipeline('text-generation', 'Qwen/Qwen3-4B', device=0)
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM211 warning static
",
    );
}

#[test]
fn without_a_version() {
    check(
        "
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

large = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', device_map='auto')
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM303 information static
small = AutoModelForMaskedLM.from_pretrained('roberta-base').cuda()
",
    );
}

#[test]
fn silent_where_the_type_is_decided_or_nothing_is_on_a_gpu() {
    let loads = "
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

host = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B')
half = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B').half().cuda()
auto = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', dtype='auto').cuda()
four = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', quantization_config=BitsAndBytesConfig(load_in_4bit=True), device_map='auto')
path = AutoModelForCausalLM.from_pretrained(name, device_map='auto')
";
    check_with(OLD, loads);
    check_with(
        NEW,
        "
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B').to('cuda')
",
    );
}
