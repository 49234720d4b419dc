//! The estimate of one call that loads a model.

use std::sync::Arc;

use crate::estimate::{Amount, Certainty, Estimate, EstimateKind, Verdict};
use crate::estimates::amount::{Basis, amount};
use crate::estimates::assembly::{adapter_calls, adapter_piece, assemble, made};
use crate::estimates::cards::chosen;
use crate::estimates::cases::{Options, cases};
use crate::estimates::desk::Desk;
use crate::estimates::lookup::{self, Lookup};
use crate::estimates::notes::Notes;
use crate::estimates::parts::Draft;
use crate::estimates::placing::{self, placing};
use crate::estimates::plan::{Change, Place};
use crate::estimates::quantizing::{Scheme, schemes};
use crate::estimates::request::Request;
use crate::estimates::steps::{Deed, deeds, ways};
use crate::estimates::telling;
use crate::estimates::wishes::wishes;
use crate::knowledge::Role;
use crate::knowledge::loading::{Holds, Loading, Meaning};
use crate::memory::weights::Dtype;
use crate::models::{FactSource, ModelFacts};
use crate::python::library_call::{Action, Event, Known, LibraryCall};
use crate::texts::text;

/// What a load needs, and the names to look up on this machine, where that was not done yet.
#[derive(Clone, Debug)]
pub struct Load {
    /// The estimate.
    pub estimate: Estimate,
    /// The names.
    pub unread: Vec<String>,
    /// What is known of the model.
    pub facts: Option<Arc<ModelFacts>>,
}

/// The estimate of the call with this index; `None` when it loads no model whose name is known.
pub fn load(index: usize, desk: Desk) -> Option<Load> {
    let request = Request::read(index, desk).filter(|request| loads(request.call.role))?;
    let Some(name) = lookup::name(&request) else { return nameless(&request) };
    let mut notes = Notes::new(desk.source);
    let said = request.get(Meaning::Model);
    let named_at = said.and_then(|said| said.span);
    let known = known(&request, &name);
    // What builds a vision model is a function like any other: only those that are known do.
    if known.is_err() && request.call.role == Role::VisionModel {
        return None;
    }
    let (facts, amount) = match &known {
        Ok(known) => {
            if said.is_some_and(|said| matches!(said.value, Known::Usually(_))) {
                notes.add("model", name.clone(), text("estimate-option-default", &[]), named_at);
            }
            telling::named(&known.facts, named_at, &mut notes);
            (Some(&known.facts), weigh(&request, known, &mut notes))
        }
        Err(why) => (None, Err(why.clone())),
    };
    let hover = [Some(request.call.callee), named_at].into_iter().flatten();
    let estimate = Estimate {
        location: desk.locate(request.call.span),
        hover: hover.map(|span| desk.locate(span)).collect(),
        kind: EstimateKind::Load,
        model: Some(facts.map_or_else(|| name.clone(), |facts| facts.name.clone())),
        model_source: facts.map(|facts| telling::source(facts)),
        amount,
        assumptions: notes.finish(),
    };
    let facts = facts.cloned();
    let base = known.ok().and_then(|known| known.adapter).and_then(|adapter| adapter.adapts.clone());
    let names = [name].into_iter().chain(base).chain(adapters(&request));
    let unread = names.filter(|name| lookup::is_unread(&request, name)).collect();
    Some(Load { estimate, unread, facts })
}

/// A pipeline of a task that takes a model by itself.
fn nameless(request: &Request) -> Option<Load> {
    let call = request.call;
    let is_open = call.arguments.open || call.arguments.positional.is_empty();
    if call.role != Role::TaskPipeline || request.get(Meaning::Model).is_some() || is_open {
        return None;
    }
    let words: Vec<&str> = call.span.text(request.desk.source.text()).split_whitespace().collect();
    let written = text("estimate-task-model", &[("call", &words.join(" ").replace('`', "'"))]);
    let estimate = Estimate {
        location: request.desk.locate(call.span),
        hover: vec![request.desk.locate(call.callee)],
        kind: EstimateKind::Load,
        model: None,
        model_source: None,
        amount: Err(written),
        assumptions: Vec::new(),
    };
    Some(Load { estimate, unread: Vec::new(), facts: None })
}

/// The names of the adapters that are loaded beside a model.
fn adapters(request: &Request) -> Vec<String> {
    adapter_calls(request).filter_map(|(name, _)| name.map(str::to_owned)).collect()
}

/// Whether calls of this role load a model.
fn loads(role: Role) -> bool {
    role.makes_weights() || role == Role::Adapter
}

/// What is known of the model that a call loads.
struct Model {
    /// The model.
    facts: Arc<ModelFacts>,
    /// The adapter, where that is what the name leads to: it says which model it is put on.
    adapter: Option<Arc<ModelFacts>>,
}

/// What is known of the model with this name.
fn known(request: &Request, name: &str) -> Result<Model, String> {
    // What is put on a model that was loaded before is only an adapter.
    if request.get(Meaning::Base).is_some() {
        let facts = facts(lookup::adapter(request, name), name)?;
        return Ok(Model { facts, adapter: None });
    }
    let found = facts(lookup::lookup(request, name), name)?;
    // A size in the name of a pipeline is that of one of its parts.
    let is_of_pipeline = matches!(request.call.role, Role::DiffusionPipeline | Role::DiffusionModel);
    if is_of_pipeline && found.source == FactSource::Name {
        return Err(text("estimate-unknown-model", &[("model", name)]));
    }
    let Some(base) = &found.adapts else { return Ok(Model { facts: found, adapter: None }) };
    let facts = facts(lookup::lookup(request, base), base)?;
    Ok(Model { facts, adapter: Some(found) })
}

fn facts(lookup: Lookup, name: &str) -> Result<Arc<ModelFacts>, String> {
    match lookup {
        Lookup::Found(facts) => Ok(facts),
        Lookup::Broken(why) => Err(why),
        Lookup::Unknown => Err(text("estimate-unknown-model", &[("model", name)])),
    }
}

/// The bytes of a load.
fn weigh(request: &Request, model: &Model, notes: &mut Notes) -> Result<Amount, String> {
    let facts = &model.facts;
    let choice = chosen(request.desk.settings.gpu.as_deref(), notes);
    let drafts = drafts(request, model, notes)?;
    telling::unknown_keywords(request, notes);
    let schemes = schemes(request, notes);
    // The default type says little of what is quantized.
    let mut unsaid = notes.clone();
    let is_quantized =
        schemes.iter().all(|scheme| !scheme.is_empty()) && request.get(Meaning::Dtype).is_none();
    let wishes = wishes(request, stored(&drafts), if is_quantized { &mut unsaid } else { &mut *notes });
    let quantizes = schemes.first().is_some_and(Scheme::needs_gpu);
    let placing = placing(request, choice.as_ref().map_or(1, |choice| choice.card.count), quantizes, notes);
    let ways = ways(&deeds(request.index, request.desk));
    let is_moved = placing.said || ways.iter().flatten().any(moves);
    let loaded_to = beside(request).unwrap_or(placing.place);
    // People ask what it takes on the GPU, though the line that moves it there may be in another file.
    let waits = !is_moved && beside(request).is_none() && loaded_to == Place::Host;
    let place = if waits { Place::Gpu } else { loaded_to };
    let options = Options { wishes, schemes, place, ways, linked: is_linked(request) };
    let cases = cases(request, &drafts, &facts.source, &options);
    if let Some(likeliest) = cases.first() {
        telling::held(request, facts, likeliest, notes);
        telling::treated(request, likeliest, waits, notes);
        telling::otherwise(likeliest, &cases, notes);
    }
    let basis = Basis {
        request: Some(request),
        facts,
        certainty: certainty(request, facts),
        choice: choice.as_ref(),
        kept_on_host: is_moved,
        trained: is_trained(request),
    };
    let unknown = || text("estimate-unknown-model", &[("model", &facts.name)]);
    let amount = amount(basis, &cases).ok_or_else(unknown)?;
    if placing.spills && amount.cards.iter().any(|card| card.verdict == Verdict::DoesNotFit) {
        let why = text("estimate-spills", &[]);
        notes.add("rest", placing::shown(Place::Host), why, Some(request.call.callee));
    }
    Ok(amount)
}

/// The parts that a load brings, with the adapter that brought its model.
fn drafts(request: &Request, model: &Model, notes: &mut Notes) -> Result<Vec<Draft>, String> {
    let mut drafts = assemble(request, &model.facts, notes)?;
    if let Some(adapter) = &model.adapter {
        let why = text("estimate-adapter-added", &[]);
        notes.add("adapter", adapter.name.clone(), why, Some(request.call.callee));
        drafts.push(Draft::Beside(adapter_piece(adapter)));
    }
    Ok(drafts)
}

/// Whether something is done that decides where the weights are.
fn moves(deed: &Deed) -> bool {
    deed.steps.iter().any(|step| !matches!(step.change, Change::Cast(_)))
}

/// Whether it depends on the version, which is not known, whether the call quantizes.
fn is_linked(request: &Request) -> bool {
    let switches =
        [Meaning::LoadIn4Bit, Meaning::LoadIn8Bit].into_iter().filter_map(|switch| request.get(switch));
    switches.into_iter().any(|said| said.counts.is_none() && said.value.bool() == Some(true))
}

/// Where the model is that an adapter is put on.
fn beside(request: &Request) -> Option<Place> {
    match request.get(Meaning::Base)?.value {
        Known::Made(base) => made(*base, request.desk).map(|piece| piece.place),
        _ => None,
    }
}

/// The type that all parts of the checkpoint are stored in.
fn stored(drafts: &[Draft]) -> Option<Dtype> {
    let own = |draft: &Draft| match draft {
        Draft::Own(component) => Some(component.stored),
        Draft::Given(_) | Draft::Beside(_) => None,
    };
    let mut types = drafts.iter().filter_map(own);
    let first = types.next()?;
    first.filter(|_| types.all(|other| other == first))
}

/// Whether the script trains what a call loads.
fn is_trained(request: &Request) -> bool {
    let is_trainer = |call: &LibraryCall| call.role == Role::Trainer;
    let trains = |event: &Event| match event.action {
        Action::GivenTo(index) => request.desk.calls.get(index).is_some_and(is_trainer),
        _ => false,
    };
    request.call.trained || request.call.events.iter().any(trains)
}

/// How much the facts can be relied on for this call: a head that is made anew is not counted.
fn certainty(request: &Request, facts: &ModelFacts) -> Certainty {
    let has_new_head = Loading::tables().holds(request.class()) == Holds::BaseAndHead;
    if facts.certainty == Certainty::Exact && has_new_head { Certainty::Counted } else { facts.certainty }
}
