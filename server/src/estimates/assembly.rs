//! From a call to the parts it loads, with those that arguments replace and those that adapters add.

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
use crate::models::ModelFacts;
use crate::python::library_call::{Action, Known, LibraryCall};
use crate::rules::context::Context;
use crate::texts::text;

/// Parts are put into pipelines, and pipelines' parts are not looked into further.
const DEEPEST: usize = 2;

/// The parts that a call loads.
///
/// # Errors
///
/// A sentence that says why they are not known.
pub fn assemble(
    request: &Request,
    facts: &ModelFacts,
    context: &Context,
    notes: &mut Notes,
) -> Result<Vec<Draft>, String> {
    let components = parts::drafts(request, facts, notes)?;
    let replaced = parts::replaced(request, &components);
    let mut drafts: Vec<Draft> = components.iter().cloned().map(Draft::Own).collect();
    if request.call.role == Role::DiffusionPipeline {
        for (name, value) in replaced {
            replace(&mut drafts, name, value, (request, context, &mut *notes));
        }
    }
    drafts.extend(adapters(request, context, notes).into_iter().map(Draft::Given));
    Ok(drafts)
}

/// Puts what an argument is in the place of a part.
fn replace(
    drafts: &mut Vec<Draft>,
    name: &str,
    value: &Known,
    (request, context, notes): (&Request, &Context, &mut Notes),
) {
    let place = request.call.arguments.named(name).and_then(|given| given.span);
    let is_part = |draft: &Draft| matches!(draft, Draft::Own(component) if component.name == name);
    match value {
        Known::None => {
            drafts.retain(|draft| !is_part(draft));
            notes.written(name, text("estimate-none", &[]), place);
        }
        Known::Made(index) => match made(*index, context, DEEPEST) {
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
fn made(index: usize, context: &Context, depth: usize) -> Option<Piece> {
    let calls = &context.script.calls;
    let call = calls.get(index).filter(|_| depth > 0)?;
    let request = Request::read(call, &context.surroundings.versions)?;
    let mut notes = Notes::new(context.source);
    let name = lookup::name(&request)?;
    let Lookup::Found(facts) = lookup::lookup(&request, &name, context.surroundings) else { return None };
    let components = parts::drafts(&request, &facts, &mut notes).ok()?;
    let [component] = components.as_slice() else { return None };
    let wishes = wishes(&request, &mut notes);
    let schemes = schemes(&request, calls, &mut notes);
    let (wish, scheme) = (wishes.options.first()?, schemes.first()?);
    let place = placing(&request, 1, scheme.needs_gpu(), &mut notes).place;
    let manner = Manner { wish, said: wishes.said, scheme, place, skips_experts: skips_experts(&request) };
    let piece = parts::held(component, &facts.source, manner);
    let steps: Vec<Step> = own_steps(index, calls);
    after(vec![piece], &steps).into_iter().next()
}

/// What the text surely does to what a call makes, itself and not by what it is given to.
fn own_steps(index: usize, calls: &[LibraryCall]) -> Vec<Step> {
    let deeds = deeds(index, calls);
    deeds.into_iter().filter(|deed| deed.certain && deed.is_of(index)).flat_map(|deed| deed.steps).collect()
}

/// Whether the library leaves the experts of a mixture alone when it quantizes with bitsandbytes: transformers keeps
/// them in fused tensors since 5.0.
pub fn skips_experts(request: &Request) -> bool {
    request.loader.package == "transformers" && request.versions.at_least("transformers", &[5]) != Some(false)
}

/// The adapters that are loaded beside the weights, where their size is known.
fn adapters(request: &Request, context: &Context, notes: &mut Notes) -> Vec<Piece> {
    let tables = Loading::tables();
    let mut pieces = Vec::new();
    for event in &request.call.events {
        let Action::Called { method, arguments } = &event.action else { continue };
        if !matches!(tables.method(method), Some((Treatment::Adapter, _))) {
            continue;
        }
        let name = arguments.positional.first().and_then(|given| given.value.text());
        let facts = name.map(|name| lookup::lookup(request, name, context.surroundings));
        let shown = name.map_or_else(|| text("estimate-unknown", &[]), str::to_owned);
        if let Some(Lookup::Found(facts)) = facts {
            notes.add("adapter", shown, text("estimate-adapter-added", &[]), Some(event.span));
            pieces.push(adapter(&facts));
        } else {
            notes.add("adapter", shown, text("estimate-adapter-unknown", &[]), Some(event.span));
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
        as_stored: None,
        place: Place::Host,
        offload: None,
    }
}
