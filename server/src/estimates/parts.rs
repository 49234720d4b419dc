//! Which parts of a model a call loads, and how each is held.

use crate::estimates::notes::Notes;
use crate::estimates::plan::{Piece, Place};
use crate::estimates::quantizing::Scheme;
use crate::estimates::request::Request;
use crate::estimates::wishes::Wish;
use crate::knowledge::loading::{Holds, Loading, Meaning};
use crate::memory::Bytes;
use crate::memory::weights::{Dtype, Precision, Quantization};
use crate::models::{Component, FactSource, ModelFacts};
use crate::python::library_call::{Given, Known};
use crate::texts::text;

/// A part that a call loads.
#[derive(Clone, Debug, PartialEq)]
pub enum Draft {
    /// It is loaded from the model.
    Own(Component),
    /// It was made before, and is put in as it is.
    Given(Piece),
    /// It is loaded beside the model, in a type of its own.
    Beside(Piece),
}

/// How a draft is to be held.
#[derive(Clone, Copy, Debug)]
pub struct Manner<'a> {
    /// The type of the weights.
    pub wish: &'a Wish,
    /// Whether the text says so, and not a default.
    pub said: bool,
    /// What is quantized.
    pub scheme: &'a Scheme,
    /// Where it is put.
    pub place: Place,
    /// Whether bitsandbytes leaves the experts of a mixture alone, because the library fuses them.
    pub fuses_experts: bool,
    /// Whether files of llama.cpp are turned into a plain type.
    pub unpacks: bool,
}

/// The parts that a call loads of a model, by its class and the folder it names.
///
/// # Errors
///
/// A sentence that says why they are not known.
pub fn drafts(request: &Request, facts: &ModelFacts, notes: &mut Notes) -> Result<Vec<Component>, String> {
    let folder = request.get(Meaning::Subfolder).and_then(|said| said.value.text());
    if let Some(folder) = folder.filter(|folder| !folder.is_empty()) {
        let component = facts.components.iter().find(|component| component.name == folder);
        let component = component.or_else(|| by_class(request, facts));
        let unknown = || text("estimate-unknown-part", &[("part", folder), ("model", &facts.name)]);
        return component.map(|component| vec![alone(component)]).ok_or_else(unknown);
    }
    let [component] = facts.components.as_slice() else { return Ok(facts.components.clone()) };
    whole_or_base(request, component, facts, notes).map(|component| vec![component])
}

/// The only component that is of the class that is called.
fn by_class<'f>(request: &Request, facts: &'f ModelFacts) -> Option<&'f Component> {
    let mut fitting = facts.components.iter().filter(|component| component.class == request.class());
    fitting.next().filter(|_| fitting.next().is_none())
}

/// A component that is loaded on its own.
fn alone(component: &Component) -> Component {
    Component { name: String::new(), ..component.clone() }
}

/// What the class that is called holds of a model of one part.
fn whole_or_base(
    request: &Request,
    component: &Component,
    facts: &ModelFacts,
    notes: &mut Notes,
) -> Result<Component, String> {
    let holds = Loading::tables().holds(request.class());
    let class = request.class();
    let callee = Some(request.call.callee);
    match (holds, component.base_parameters) {
        _ if component.class == class => Ok(component.clone()),
        (Holds::Part, _) => {
            let most = component.counts().bytes(Precision::Plain(Dtype::Float32)).to_string();
            Err(text("estimate-only-a-part", &[("class", class), ("model", &facts.name), ("most", &most)]))
        }
        (Holds::Base | Holds::BaseAndHead, Some(base)) if base != component.parameters => {
            if holds == Holds::BaseAndHead {
                notes.add(
                    "head",
                    text("estimate-none", &[]),
                    text("estimate-small-head", &[("class", class)]),
                    callee,
                );
            }
            Ok(without_head(component, base))
        }
        _ => Ok(component.clone()),
    }
}

/// A component without the head of a task.
fn without_head(component: &Component, base: u64) -> Component {
    let head = component.parameters.saturating_sub(base);
    Component {
        parameters: base,
        unquantized: component.unquantized.saturating_sub(head),
        stored_bytes: None,
        ..component.clone()
    }
}

/// The components that arguments remove or replace: by the name of the component, the argument.
pub fn replaced<'a>(request: &Request<'a>, components: &[Component]) -> Vec<(&'a str, &'a Given)> {
    let named = request.call.arguments.named.iter();
    let is_part = |name: &str| components.iter().any(|component| component.name == name);
    let given = named.filter(|(name, given)| is_part(name) || is_made(name, given));
    given.map(|(name, given)| (&**name, given)).collect()
}

/// Whether an argument is a part that the pipeline has not by itself, such as a control net.
fn is_made(name: &str, given: &Given) -> bool {
    matches!(given.value, Known::Made(_)) && name != "quantization_config"
}

/// A component held in a manner.
pub fn held(component: &Component, source: &FactSource, manner: Manner) -> Piece {
    let asked = manner.wish.of(&component.name);
    let stored = component.stored.unwrap_or(Dtype::BFloat16);
    let (precision, as_stored) = match (manner.scheme.of(&component.name), component.quantized) {
        (_, Some(Quantization::Gguf(_))) if manner.unpacks => {
            (Precision::Plain(asked.unwrap_or(stored)), None)
        }
        (_, Some(quantization)) => {
            let rest = if manner.said { asked.unwrap_or(stored) } else { stored };
            (Precision::Quantized { quantization, rest }, component.stored_bytes)
        }
        (Some(quantization), None) => {
            // What is left is kept in half precision unless another type is asked for.
            let rest = if manner.said { asked } else { asked.filter(|dtype| *dtype != Dtype::Float32) };
            let rest = rest.unwrap_or(if asked.is_none() { half(stored) } else { Dtype::Float16 });
            (Precision::Quantized { quantization, rest }, None)
        }
        (None, None) => (Precision::Plain(asked.unwrap_or(stored)), as_in_files(component, source, asked)),
    };
    let is_fused = manner.fuses_experts && !Loading::tables().splits_experts(&component.class);
    Piece {
        name: component.name.clone(),
        counts: component.counts(),
        fused: if is_fused { component.expert_parameters } else { 0 },
        precision,
        as_stored,
        place: manner.place,
        offload: None,
    }
}

/// Float32 is not used for what quantization leaves, unless it is asked for.
fn half(stored: Dtype) -> Dtype {
    if stored == Dtype::Float32 { Dtype::Float16 } else { stored }
}

/// The bytes of the files, where they are loaded as they are: files may mix types.
fn as_in_files(component: &Component, source: &FactSource, asked: Option<Dtype>) -> Option<Bytes> {
    let as_they_are = asked.is_none_or(|dtype| component.stored == Some(dtype) && component.buffers == 0);
    component.stored_bytes.filter(|_| as_they_are && matches!(source, FactSource::Files(_)))
}
