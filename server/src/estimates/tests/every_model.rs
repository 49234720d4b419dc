//! Every model of the catalog whose count is confirmed: the weights that a script which loads it is said to need.

use super::{World, analysis};
use crate::memory::Bytes;
use crate::memory::weights::Dtype;
use crate::models::{Catalog, Component, ModelFacts};

/// What the tables say of counts that a published count confirms.
const CONFIRMED: [&str; 4] = ["exact", "exact-base", "exact-family", "explained"];

/// A script that loads a model, and the bytes that it must be said to need.
struct Case {
    script: String,
    bytes: u64,
}

/// Scripts that load a model of transformers in all of its classes, with a type and without.
fn language(id: &str, task: &str, component: &Component) -> Vec<Case> {
    let whole = match task {
        "causal-lm" => "AutoModelForCausalLM".to_owned(),
        "vlm" => "AutoModelForImageTextToText".to_owned(),
        "seq2seq" => "AutoModelForSeq2SeqLM".to_owned(),
        "asr" => "AutoModelForSpeechSeq2Seq".to_owned(),
        _ => component.class.clone(),
    };
    let base = component.base_parameters.map(|parameters| ("AutoModel".to_owned(), parameters));
    let classes = [(whole, component.parameters)].into_iter().chain(base);
    let stored = component.stored.filter(|_| component.quantized.is_none());
    classes
        .filter(|(class, _)| !class.is_empty())
        .flat_map(|(class, parameters)| {
            let load = |said: &str| {
                format!(
                    "import torch\nfrom transformers import {class}\nm = {class}.from_pretrained('{id}'{said}, device_map='cuda')\n"
                )
            };
            let with_type = component.quantized.is_none().then(|| Case {
                script: load(", dtype=torch.bfloat16"),
                bytes: parameters * 2,
            });
            // Some T5 layers stay in float32 where the others are in float16.
            let kept = if stored == Some(Dtype::Float16) { component.float32_in_float16 * 2 } else { 0 };
            let without = stored.map(|dtype| Case { script: load(""), bytes: parameters * size(dtype) + kept });
            with_type.into_iter().chain(without)
        })
        .collect()
}

/// The bytes of one element.
fn size(dtype: Dtype) -> u64 {
    match dtype {
        Dtype::Float32 => 4,
        Dtype::Float16 | Dtype::BFloat16 => 2,
        other => panic!("weights in {other}"),
    }
}

/// Scripts that load a pipeline of diffusers, with a type and without.
fn pipeline(facts: &ModelFacts) -> Vec<Case> {
    let elements: u64 = facts.components.iter().map(|part| part.parameters + part.buffers).sum();
    let load = |said: &str| {
        format!(
            "import torch\nfrom diffusers import DiffusionPipeline\np = DiffusionPipeline.from_pretrained('{}'{said}).to('cuda')\n",
            facts.name
        )
    };
    let with_type = Case { script: load(", torch_dtype=torch.bfloat16"), bytes: elements * 2 };
    vec![with_type, Case { script: load(""), bytes: elements * 4 }]
}

/// A script that builds a vision model.
fn vision(path: &str, parameters: u64) -> Vec<Case> {
    let script = match path.split_once('/') {
        Some(("timm", name)) => format!("import timm\nm = timm.create_model('{name}').cuda()\n"),
        _ if path.starts_with("torchvision.") => {
            format!("import torchvision\nm = {path}().cuda()\n")
        }
        _ => return Vec::new(),
    };
    vec![Case { script, bytes: parameters * 4 }]
}

#[test]
fn the_weights_of_every_confirmed_model_are_right() {
    let tables = Catalog::tables();
    let world = World::today();
    let (mut wrong, mut right) = (Vec::new(), 0);
    for listed in tables.models().filter(|listed| CONFIRMED.contains(&listed.verified)) {
        let facts = tables.find(listed.id);
        let component = facts.as_ref().and_then(|facts| facts.components.first());
        let cases = match (&facts, component) {
            _ if listed.id.contains(['.', '/'])
                && tables.shape(listed.id).is_none()
                && !listed.task.ends_with("Pipeline") =>
            {
                vision(listed.id, listed.parameters)
            }
            (Some(facts), _) if listed.task.ends_with("Pipeline") => pipeline(facts),
            (_, Some(component)) => language(listed.id, listed.task, component),
            _ => panic!("{} is not found", listed.id),
        };
        for case in cases {
            let said = analysis(&world, &case.script).estimates.into_iter().next();
            let said = said.map(|estimate| estimate.amount.map(|amount| amount.allocated_peak));
            match said {
                Some(Ok(Bytes(bytes))) if bytes.abs_diff(case.bytes) <= case.bytes / 200 => right += 1,
                other => wrong.push(format!(
                    "{}: {other:?} for {} in\n{}",
                    listed.id,
                    Bytes(case.bytes),
                    case.script
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{right} are right, {} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right > 2000, "only {right} loads");
}
