//! Calls of libraries with what is done to what they make.

use vramlens_grammars::parse;

use crate::python::library_call::{Action, Arguments, Event, Known, LibraryCall};
use crate::python::lower::lower;
use crate::python::script::Script;

/// Reads a program and hands its facts on.
pub(super) fn read<T>(source: &str, take: impl FnOnce(&Script) -> T) -> T {
    let Ok(tree) = parse::python(source, None) else { panic!("over a cap: {source:.60}") };
    let module = lower(&tree, source);
    take(&Script::read(&module, source))
}

/// The noted calls of a program, a line each: the path's end, what is given, and in order what surely happens to what
/// is made; `?` before what happens only on some ways.
fn calls(source: &str) -> Vec<String> {
    read(source, |script| script.calls.iter().map(|call| shown(script, call)).collect())
}

fn shown(script: &Script, call: &LibraryCall) -> String {
    let name: Vec<&str> = call.path.rsplit('.').take(2).collect();
    let name: Vec<&str> = name.into_iter().rev().collect();
    let events: Vec<String> = call.events.iter().map(|event| event_shown(script, event)).collect();
    let arrow = if events.is_empty() { "" } else { " -> " };
    format!("{}({}){arrow}{}", name.join("."), given(&call.arguments), events.join(", "))
}

fn event_shown(script: &Script, event: &Event) -> String {
    let doubt = if event.certain { "" } else { "?" };
    let part = if event.part.is_empty() { String::new() } else { format!("{}.", event.part) };
    let what = match &event.action {
        Action::Called { method, arguments } => format!("{method}({})", given(arguments)),
        Action::Set { attribute, value } => format!("{attribute}={}", known(value)),
        Action::Run { arguments } if given(arguments).contains("tensor") => {
            format!("run({})", given(arguments))
        }
        Action::Run { .. } => "run".to_owned(),
        Action::CopiedInto { .. } => "copied".to_owned(),
        Action::Released { held_by, .. } => {
            let names: Vec<&str> = held_by.iter().map(|holder| &*holder.name).collect();
            format!("released[{}]", names.join(" "))
        }
        Action::GivenTo(call) => {
            let path = script.calls.get(*call).map(|call| call.path.rsplit('.').next().unwrap_or_default());
            format!("to {}", path.unwrap_or("?"))
        }
    };
    format!("{doubt}{part}{what}")
}

fn given(arguments: &Arguments) -> String {
    let positional = arguments.positional.iter().map(|given| known(&given.value));
    let named = arguments.named.iter().map(|(name, given)| format!("{name}={}", known(&given.value)));
    let open = arguments.open.then(|| "...".to_owned());
    positional.chain(named).chain(open).collect::<Vec<_>>().join(", ")
}

fn known(value: &Known) -> String {
    let all = |values: &[Known], between: &str| values.iter().map(known).collect::<Vec<_>>().join(between);
    match value {
        Known::Tensor(shape) => {
            let sizes = shape.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()));
            format!("tensor {}", sizes.collect::<Vec<_>>().join("x"))
        }
        Known::Unknown => "?".to_owned(),
        Known::None => "None".to_owned(),
        Known::Bool(value) => value.to_string(),
        Known::Int(value) => value.to_string(),
        Known::Float(value) => value.to_string(),
        Known::Text(text) => format!("'{text}'"),
        Known::Library(path) => path.to_string(),
        Known::Made(call) => format!("#{call}"),
        Known::List(values) => format!("[{}]", all(values, ", ")),
        Known::Table(entries) => {
            let entry = |(key, value): &(std::rc::Rc<str>, Known)| format!("{key}: {}", known(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Known::Either(values) => all(values, "|"),
        Known::ParametersOf(call) => format!("parameters of #{call}"),
        Known::Usually(value) => format!("~{}", known(value)),
    }
}

#[test]
fn arguments_are_followed_to_where_they_are_made() {
    let source = r#"
import torch
from transformers import AutoModelForCausalLM as Auto, BitsAndBytesConfig

BASE = "meta-llama/Llama-3.1-8B"
four_bit = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4")
options = dict(quantization_config=four_bit, device_map={"": 0})

def load(name, **more):
    return Auto.from_pretrained(name, torch_dtype=torch.bfloat16, **more)

model = load(BASE, **options)
"#;
    assert_eq!(
        calls(source),
        [
            "transformers.BitsAndBytesConfig(load_in_4bit=true, bnb_4bit_quant_type='nf4') -> to from_pretrained",
            "AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-8B', torch_dtype=torch.bfloat16, \
             device_map={: 0}, quantization_config=#0)",
        ]
    );
}

#[test]
fn unpacked_names_that_stand_only_in_keys_are_arguments() {
    let source = r#"
from transformers import AutoModel
kwargs = {"torch_dtype": "auto"}
AutoModel.from_pretrained("gpt2", **kwargs)
AutoModel.from_pretrained("gpt2", **unknown())
"#;
    assert_eq!(
        calls(source),
        ["AutoModel.from_pretrained('gpt2', torch_dtype='auto')", "AutoModel.from_pretrained('gpt2', ...)"]
    );
}

#[test]
fn a_choice_is_both_and_a_default_is_usual() {
    let source = r#"
import argparse, torch
from transformers import AutoModel
parser = argparse.ArgumentParser()
parser.add_argument("--model", default="bert-base-uncased")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dtype = torch.float16 if device.type == "cuda" else torch.float32
net = AutoModel.from_pretrained(args.model, dtype=dtype).to(device)
"#;
    assert_eq!(
        calls(source),
        [
            "cuda.is_available()",
            "AutoModel.from_pretrained(~'bert-base-uncased', dtype=torch.float16|torch.float32) -> to('cuda'|'cpu')"
        ]
    );
}

#[test]
fn a_function_that_nobody_here_calls_usually_gets_its_default_names() {
    let source = r#"
from transformers import AutoModel

def load(name="gpt2"):
    return AutoModel.from_pretrained(name)
"#;
    assert_eq!(calls(source), ["AutoModel.from_pretrained(~'gpt2')"]);
}

#[test]
fn a_type_is_a_default_like_any_other() {
    let source = r#"
import torch
from transformers import AutoModel

def load(name, dtype=torch.float16):
    return AutoModel.from_pretrained(name, torch_dtype=dtype)

load("gpt2")
"#;
    assert_eq!(calls(source), ["AutoModel.from_pretrained('gpt2', torch_dtype=torch.float16)"]);
}

#[test]
fn names_are_put_together() {
    let source = r#"
import os
from transformers import AutoModel
SIZE = "7b"
AutoModel.from_pretrained(f"org/model-{SIZE}").to(f"cuda:{rank()}")
AutoModel.from_pretrained("org/" + SIZE)
AutoModel.from_pretrained(f"org/llama-{2}-{1.5}b")
AutoModel.from_pretrained(f"org/{7:03d}b")
AutoModel.from_pretrained(os.path.join("models", "tiny"))
AutoModel.from_pretrained(os.environ.get("MODEL", "gpt2"))
"#;
    assert_eq!(
        calls(source),
        [
            "AutoModel.from_pretrained('org/model-7b') -> to(~'cuda:0')",
            "AutoModel.from_pretrained('org/7b')",
            "AutoModel.from_pretrained('org/llama-2-1.5b')",
            "AutoModel.from_pretrained(?)",
            "AutoModel.from_pretrained('models/tiny')",
            "AutoModel.from_pretrained(~'gpt2')",
        ]
    );
}

#[test]
fn a_pipeline_is_put_together_from_its_parts() {
    let source = r#"
from diffusers import AutoencoderKL, StableDiffusionXLPipeline

vae = AutoencoderKL.from_pretrained("a/vae")
pipe = StableDiffusionXLPipeline(vae=vae, unet=make())
pipe.to("cuda")
"#;
    assert_eq!(
        calls(source),
        [
            "AutoencoderKL.from_pretrained('a/vae') -> to StableDiffusionXLPipeline",
            "diffusers.StableDiffusionXLPipeline(vae=#0, unet=?) -> to('cuda')",
        ]
    );
}

#[test]
fn a_pipeline_of_another_file_is_one_where_something_is_offloaded() {
    let source = |offload: &str| {
        format!(
            "
from mine.pipelines import ChairPipeline
pipe = ChairPipeline(unet=make()).to('cuda')
{offload}
"
        )
    };
    assert_eq!(
        calls(&source("pipe.enable_model_cpu_offload()")),
        ["pipelines.ChairPipeline(unet=?) -> to('cuda'), enable_model_cpu_offload()"]
    );
    assert_eq!(calls(&source("")), [""; 0]);
}

#[test]
fn a_subclass_of_a_trainer_is_a_trainer() {
    let source = r#"
from transformers import AutoModel, Trainer, TrainingArguments

class Mine(Trainer):
    def compute_loss(self, model, inputs):
        return 0

model = AutoModel.from_pretrained("gpt2")
args = TrainingArguments("out", bf16=True)
trainer = Mine(model=model, args=args)
trainer.train()
"#;
    assert_eq!(
        calls(source),
        [
            "AutoModel.from_pretrained('gpt2') -> to Trainer",
            "transformers.TrainingArguments('out', bf16=true) -> to Trainer",
            "transformers.Trainer(model=#0, args=#1) -> train()",
        ]
    );
}

#[test]
fn what_is_done_to_a_pipeline_is_known_in_order_and_by_part() {
    let source = r#"
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-dev").to("cuda")
pipe.vae.enable_tiling()
pipe.transformer.to(memory_format="channels_last")
pipe.scheduler = make()
pipe.enable_model_cpu_offload()
image = pipe("a cat", height=1024).images[0]
"#;
    assert_eq!(
        calls(source),
        ["FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev') -> to('cuda'), vae.enable_tiling(), \
             transformer.to(memory_format='channels_last'), scheduler=?, enable_model_cpu_offload(), run"]
    );
}

#[test]
fn what_happens_on_one_way_only_is_not_certain() {
    let source = r#"
from diffusers import DiffusionPipeline

def build(low):
    pipe = DiffusionPipeline.from_pretrained("a/b")
    if low:
        pipe.enable_model_cpu_offload()
    else:
        pipe = pipe.to("cuda")
    pipe.set_progress_bar_config(disable=True)
    return pipe
"#;
    assert_eq!(
        calls(source),
        ["DiffusionPipeline.from_pretrained('a/b') -> ?enable_model_cpu_offload(), ?to('cuda'), \
             set_progress_bar_config(disable=true)"]
    );
    read(source, |script| {
        let before: Vec<&[usize]> =
            script.calls.iter().flat_map(|call| &call.events).map(|event| event.before.as_slice()).collect();
        assert_eq!(before, [&[] as &[usize], &[], &[]], "neither way comes before the other");
    });
}

#[test]
fn what_is_done_to_one_of_several_may_be_done_to_each() {
    let source = r#"
from diffusers import FluxPipeline, StableDiffusionPipeline

def build(large):
    if large:
        pipe = FluxPipeline.from_pretrained("a/large")
    else:
        pipe = StableDiffusionPipeline.from_pretrained("a/small")
    pipe.enable_model_cpu_offload()
    return pipe
"#;
    assert_eq!(
        calls(source),
        [
            "FluxPipeline.from_pretrained('a/large') -> ?enable_model_cpu_offload()",
            "StableDiffusionPipeline.from_pretrained('a/small') -> ?enable_model_cpu_offload()",
        ]
    );
}

#[test]
fn a_pipeline_on_self_is_one_pipeline() {
    let source = r#"
from diffusers import StableDiffusionPipeline

class Painter:
    def __init__(self):
        self.pipe = StableDiffusionPipeline.from_pretrained("a/b")
        self.pipe.to("cuda")

    def paint(self, prompt):
        return self.pipe(prompt)

Painter().paint("x")
"#;
    assert_eq!(calls(source), ["StableDiffusionPipeline.from_pretrained('a/b') -> to('cuda'), run"]);
}

#[test]
fn a_model_that_is_trained_says_so() {
    let source = r#"
import torch
from transformers import AutoModelForCausalLM
from peft import LoraConfig, get_peft_model

net = AutoModelForCausalLM.from_pretrained("gpt2")
net = get_peft_model(net, LoraConfig(r=8))
optimizer = torch.optim.AdamW(net.parameters())
other = AutoModelForCausalLM.from_pretrained("gpt2")
for batch in loader:
    loss = net(**batch).loss
    loss.backward()
    optimizer.step()
"#;
    read(source, |script| {
        let trained: Vec<bool> =
            script.calls.iter().filter(|call| call.path.contains("Auto")).map(|call| call.trained).collect();
        assert_eq!(trained, [true, false]);
    });
}

#[test]
fn the_shapes_of_what_a_model_is_given() {
    let made = "
import torch
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('gpt2').to('cuda')
DEVICE = 'cuda'
ids = torch.randint(0, 50257, (2, 128), device=DEVICE)
";
    let run = |call: &str| calls(&format!("{made}{call}")).remove(0);
    assert!(run("model(ids)").ends_with("run(tensor 2x128)"), "{}", run("model(ids)"));
    for call in [
        "model(**dict(input_ids=ids))",
        "batch = dict(input_ids=ids)\nfor step in range(9):\n    model(**batch)",
        "model(**{'input_ids': ids})",
        "model(input_ids=ids.to('cuda'))",
        "model(input_ids=torch.zeros(2, 128))",
        "model(input_ids=torch.ones(size=(2, 128)).cuda())",
    ] {
        assert!(run(call).contains("run(input_ids=tensor 2x128)"), "{}", run(call));
    }
    assert!(run("model(ids[0])").ends_with("run"));
    assert!(run("model(torch.randn(b, 3))").ends_with("run(tensor ?x3)"));
}
