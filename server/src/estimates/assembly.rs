//! From a call to the parts it loads, with those that arguments replace and those that adapters add.

use crate::estimates::cases::{fuses_experts, unpacks};
use vramlens_grammars::Span;

use crate::estimates::desk::Desk;
use crate::estimates::lookup::{self, Lookup};
use crate::estimates::notes::Notes;
use crate::estimates::parts::{self, Draft, Manner};
use crate::estimates::placing::placing;
use crate::estimates::plan::{Piece, Place, Step, after};
use crate::estimates::quantizing::schemes;
use crate::estimates::request::Request;
use crate::estimates::steps::deeds;
use crate::estimates::wishes::wishes;
use crate::knowledge::Role;
use crate::knowledge::loading::{Loading, Treatment};
use crate::memory::weights::{Dtype, Precision, WeightCounts};
use crate::models::{Component, ModelFacts};
use crate::python::library_call::{Action, Device, Known};
use crate::texts::text;

/// The parts that a call loads.
///
/// # Errors
///
/// A sentence that says why they are not known.
pub fn assemble(request: &Request, facts: &ModelFacts, notes: &mut Notes) -> Result<Vec<Draft>, String> {
    let components = parts::drafts(request, facts, notes)?;
    let replaced = parts::replaced(request, &components);
    let mut drafts: Vec<Draft> = components.iter().cloned().map(Draft::Own).collect();
    if request.call.role == Role::DiffusionPipeline {
        let given = replaced.into_iter().map(|(name, given)| (name, &given.value, given.span));
        let set = set(request, &components).into_iter().map(|(name, value, span)| (name, value, Some(span)));
        for (name, value, place) in given.chain(set) {
            replace(&mut drafts, Replacement { name, value, place }, request.desk, notes);
        }
    }
    drafts.extend(adapters(request, notes).into_iter().map(Draft::Given));
    Ok(drafts)
}

/// The parts that are surely replaced before anything is on the GPU, by the value that their attribute is set to.
fn set<'a>(request: &Request<'a>, components: &[Component]) -> Vec<(&'a str, &'a Known, Span)> {
    let events = request.call.events.iter();
    let before_gpu = events.take_while(|event| event.action.moves_to() != Some(Device::Gpu));
    before_gpu
        .filter_map(|event| match &event.action {
            Action::Set { attribute, value } if event.certain && event.part.is_empty() => {
                let is_part = components.iter().any(|component| component.name == **attribute);
                let is_known = matches!(value, Known::None | Known::Made(_));
                (is_part && is_known).then_some((&**attribute, value, event.span))
            }
            _ => None,
        })
        .collect()
}

/// What is put in the place of a part.
#[derive(Clone, Copy, Debug)]
struct Replacement<'a> {
    /// The part.
    name: &'a str,
    /// What is put there.
    value: &'a Known,
    /// Where that is written.
    place: Option<Span>,
}

/// Puts what a part is set to, or an argument is, in its place.
fn replace(drafts: &mut Vec<Draft>, replacement: Replacement, desk: Desk, notes: &mut Notes) {
    let Replacement { name, value, place } = replacement;
    let is_part = |draft: &Draft| matches!(draft, Draft::Own(component) if component.name == name);
    match value {
        Known::None => {
            drafts.retain(|draft| !is_part(draft));
            notes.written(name, text("estimate-none", &[]), place);
        }
        Known::Made(index) => match made(*index, desk) {
            Some(piece) => {
                drafts.retain(|draft| !is_part(draft));
                let shown = piece.precision.to_string();
                notes.add(name, shown, text("estimate-part-given", &[]), place);
                drafts.push(Draft::Given(Piece { name: name.to_owned(), ..piece }));
            }
            None => notes.add(name, text("estimate-unknown", &[]), text("estimate-part-unknown", &[]), place),
        },
        _ => notes.add(name, text("estimate-its-own", &[]), text("estimate-part-argument", &[]), place),
    }
}

/// The one piece that another call makes, as it is when it has been treated.
fn made(index: usize, desk: Desk) -> Option<Piece> {
    let request = Request::read(index, desk)?;
    let mut notes = Notes::new(desk.source);
    let name = lookup::name(&request)?;
    let Lookup::Found(facts) = lookup::lookup(&request, &name) else { return None };
    let components = parts::drafts(&request, &facts, &mut notes).ok()?;
    let [component] = components.as_slice() else { return None };
    let wishes = wishes(&request, component.stored, &mut notes);
    let schemes = schemes(&request, &mut notes);
    let (wish, scheme) = (wishes.options.first()?, schemes.first()?);
    let place = placing(&request, 1, scheme.needs_gpu(), &mut notes).place;
    let (fuses_experts, unpacks) = (fuses_experts(&request).first() == Some(&true), unpacks(&request));
    let manner = Manner { wish, said: wishes.said, scheme, place, fuses_experts, unpacks };
    let piece = parts::held(component, &facts.source, manner);
    let steps: Vec<Step> = own_steps(&request);
    after(vec![piece], &steps).into_iter().next()
}

/// What the text surely does to what a call makes, itself and not by what it is given to.
fn own_steps(request: &Request) -> Vec<Step> {
    let deeds = deeds(request.index, request.desk);
    deeds
        .into_iter()
        .filter(|deed| deed.certain && deed.is_of(request.index))
        .flat_map(|deed| deed.steps)
        .collect()
}

/// The calls that load an adapter beside the weights: the name of the adapter, and where it is loaded.
pub fn adapter_calls<'a>(request: &Request<'a>) -> impl Iterator<Item = (Option<&'a str>, Span)> {
    request.call.events.iter().filter_map(|event| {
        let Action::Called { method, arguments } = &event.action else { return None };
        let loads = matches!(Loading::tables().method(method), Some((Treatment::Adapter, _)));
        let name = arguments.positional.first().and_then(|given| given.value.text());
        loads.then_some((name, event.span))
    })
}

/// The adapters that are loaded beside the weights, where their size is known.
fn adapters(request: &Request, notes: &mut Notes) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (name, place) in adapter_calls(request) {
        let shown = name.map_or_else(|| text("estimate-unknown", &[]), str::to_owned);
        if let Some(Lookup::Found(facts)) = name.map(|name| lookup::adapter(request, name)) {
            notes.add("adapter", shown, text("estimate-adapter-added", &[]), Some(place));
            pieces.push(adapter(&facts));
        } else {
            notes.add("adapter", shown, text("estimate-adapter-unknown", &[]), Some(place));
        }
    }
    pieces
}

/// An adapter as one piece, in the type that it is stored in.
fn adapter(facts: &ModelFacts) -> Piece {
    let stored = facts.components.iter().find_map(|component| component.stored);
    Piece {
        name: text("estimate-part-adapter", &[]),
        counts: WeightCounts { parameters: facts.parameters(), ..WeightCounts::default() },
        precision: Precision::Plain(stored.unwrap_or(Dtype::Float16)),
        fused: 0,
        as_stored: None,
        place: Place::Host,
        offload: None,
    }
}
