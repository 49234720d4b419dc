//! What is said beside the number: doubts, places, levers, cards.

use super::models::{flux, llama};
use super::{World, analysis};
use crate::estimate::{Estimate, Verdict};

fn today() -> World {
    World::today().holding("./llama", llama()).holding("./flux", flux())
}

fn first(world: &World, script: &str) -> Estimate {
    let Some(estimate) = analysis(world, script).estimates.into_iter().next() else {
        panic!("nothing is loaded in {script}")
    };
    estimate
}

/// The assumptions of a script's first load: what, value and the text at which it can be changed.
fn assumptions(world: &World, script: &str) -> Vec<String> {
    let shown = |assumption: &crate::estimate::Assumption| {
        let place = assumption.change_at.map_or("", |place| place.span.text(script));
        format!("{}: {} at {place}", assumption.what, assumption.value)
    };
    first(world, script).assumptions.iter().map(shown).collect()
}

#[test]
fn facts_of_the_text_say_where_they_are_written() {
    let script = "import torch
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('./llama', dtype=torch.float16)
model.to('cuda')
";
    assert_eq!(
        assumptions(&today(), script),
        ["dtype: float16 at torch.float16", "device: GPU at model.to('cuda')"]
    );
}

#[test]
fn defaults_say_which_version_and_where_that_is_known_from() {
    let script = "from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('./llama').cuda()
";
    let why = |world: &World| first(world, script).assumptions.remove(0).why;
    assert_eq!(why(&today()), "the default of transformers 5.24.0 in uv.lock");
    let unknown = World::unknown().holding("./llama", llama());
    assert_eq!(
        why(&unknown),
        "the version of transformers is not known: from 5 on the default is the type of the checkpoint, before it is \
         float32; both are in the range. Name a type to be sure"
    );
}

#[test]
fn doubts_come_first() {
    let script = "import torch, argparse
from diffusers import FluxPipeline
parser = argparse.ArgumentParser()
parser.add_argument('--model', default='./flux')
args = parser.parse_args()
pipe = FluxPipeline.from_pretrained(args.model, torch_dtype=torch.bfloat16)
if args.fast:
    pipe.to('cuda')
";
    assert_eq!(
        assumptions(&today(), script),
        [
            "model: ./flux at args.model",
            "device: GPU at pipe.to('cuda')",
            "dtype: bfloat16 at torch.bfloat16"
        ]
    );
}

#[test]
fn levers_are_the_same_load_with_something_changed() {
    let levers = |script: &str| {
        let estimate = first(&today(), script);
        let levers = estimate.amount.map(|amount| amount.levers).unwrap_or_default();
        levers.iter().map(|lever| format!("{} {}", lever.name, lever.saves)).collect::<Vec<_>>()
    };
    assert_eq!(
        levers(
            "import torch
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('./llama', dtype=torch.float32).cuda()
"
        ),
        ["Quantize to 4 bit with bitsandbytes 24.30 GiB", "Load the weights in bfloat16 14.96 GiB"]
    );
    assert_eq!(
        levers(
            "import torch
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained('./flux', torch_dtype=torch.bfloat16).to('cuda')
"
        ),
        [
            "Quantize to 4 bit with bitsandbytes 22.13 GiB",
            "Offload by components: `enable_model_cpu_offload()` instead of moving the pipeline 9.26 GiB",
        ]
    );
    assert!(
        levers(
            "from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('./llama', device_map='cpu')
"
        )
        .is_empty()
    );
}

#[test]
fn without_a_card_the_smallest_that_fit_are_named() {
    let script = "from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('./llama').cuda()
";
    let Ok(amount) = first(&today(), script).amount else { panic!("no amount") };
    assert!(amount.cards.iter().all(|card| card.verdict == Verdict::Fits && card.headroom > 0));
    let smallest = amount.cards.first().map(|card| card.name.as_str());
    assert_eq!(smallest, Some("RTX 4090"), "15 GiB and a CUDA context are too much for 16 GB");
}

#[test]
fn a_hover_is_on_what_is_called_and_on_the_name() {
    let script = "from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('./llama', device_map='auto')
";
    let estimate = first(&today(), script);
    let places: Vec<&str> = estimate.hover.iter().map(|place| place.span.text(script)).collect();
    assert_eq!(places, ["AutoModelForCausalLM.from_pretrained", "'./llama'"]);
}

#[test]
fn names_are_asked_for_once() {
    let script = "from transformers import AutoModelForCausalLM
AutoModelForCausalLM.from_pretrained('./other')
AutoModelForCausalLM.from_pretrained('./llama')
";
    assert_eq!(analysis(&today(), script).unread, ["./other"]);
    assert!(analysis(&today().without("./other"), script).unread.is_empty());
}

#[test]
fn what_is_on_the_gpu_only_for_a_while_says_since_where() {
    let script = "import torch
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained('./flux', torch_dtype=torch.bfloat16)
pipe.to('cuda')
pipe.enable_model_cpu_offload()
";
    let said = assumptions(&today(), script);
    assert_eq!(said.first().map(String::as_str), Some("peak: 31.42 GiB at pipe.to('cuda')"));
}

#[test]
fn adapters_are_no_models() {
    let script = "from transformers import AutoModelForCausalLM
from peft import PeftModel
base = AutoModelForCausalLM.from_pretrained('./llama')
model = PeftModel.from_pretrained(base, 'somebody/llama-8b-adapter')
";
    let estimates = analysis(&today(), script).estimates;
    let known: Vec<bool> = estimates.iter().map(|estimate| estimate.amount.is_ok()).collect();
    assert_eq!(known, [true, false], "the size in the name is the base model's");
    let script = "import torch
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained('./flux', torch_dtype=torch.bfloat16).to('cuda')
pipe.load_lora_weights('somebody/style-1b')
";
    assert_eq!(
        assumptions(&today(), script).first().map(String::as_str),
        Some("adapter: somebody/style-1b at pipe.load_lora_weights('somebody/style-1b')")
    );
    assert_eq!(analysis(&today(), script).unread, ["somebody/style-1b"]);
}

#[test]
fn what_is_quantized_has_no_default_type() {
    let script = "from transformers import AutoModelForCausalLM, BitsAndBytesConfig
model = AutoModelForCausalLM.from_pretrained('./llama', quantization_config=BitsAndBytesConfig(load_in_8bit=True))
";
    assert_eq!(
        assumptions(&today(), script),
        [
            "device: GPU at AutoModelForCausalLM.from_pretrained",
            "quantization: 8-bit bitsandbytes at BitsAndBytesConfig(load_in_8bit=True)"
        ]
    );
}

#[test]
fn both_ways_of_a_choice_are_told() {
    let script = "import torch
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained('./flux', torch_dtype=torch.bfloat16)
if small:
    pipe.enable_model_cpu_offload()
else:
    pipe.to('cuda')
";
    assert_eq!(
        assumptions(&today(), script),
        [
            "device: GPU at pipe.to('cuda')",
            "otherwise: 22.17 GiB at pipe.enable_model_cpu_offload()",
            "dtype: bfloat16 at torch.bfloat16"
        ]
    );
}
