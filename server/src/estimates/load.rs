//! The estimate of one call that loads a model.

use std::path::Path;

use vramlens_grammars::Span;

use crate::estimate::{Amount, Certainty, Estimate, EstimateKind, Verdict};
use crate::estimates::amount::{Basis, amount};
use crate::estimates::assembly::assemble;
use crate::estimates::cards::chosen;
use crate::estimates::cases::{Case, Options, cases, fuses_experts, unpacks};
use crate::estimates::lookup::{self, Lookup};
use crate::estimates::notes::Notes;
use crate::estimates::placing::{self, placing};
use crate::estimates::plan::{Change, Mode, Place, Step};
use crate::estimates::quantizing::schemes;
use crate::estimates::request::Request;
use crate::estimates::steps::{Deed, deeds, ways};
use crate::estimates::wishes::wishes;
use crate::knowledge::Role;
use crate::knowledge::loading::{Holds, Loading, Meaning};
use crate::memory::gpus::Choice;
use crate::memory::weights::{Precision, Quantization};
use crate::models::{Component, FactSource, ModelFacts};
use crate::python::library_call::Known;
use crate::report::count;
use crate::rules::context::Context;
use crate::texts::text;

/// What a load needs, and the name to look up on this machine, if that was not done yet.
#[derive(Clone, Debug)]
pub struct Load {
    /// The estimate.
    pub estimate: Estimate,
    /// The name.
    pub unread: Option<String>,
}

/// The estimate of the call with this index; `None` when it loads no model whose name is known.
pub fn load(index: usize, context: &Context) -> Option<Load> {
    let call = context.script.calls.get(index).filter(|call| loads(call.role))?;
    let request = Request::read(call, &context.surroundings.versions)?;
    let Some(name) = lookup::name(&request) else { return nameless(&request, context) };
    let mut notes = Notes::new(context.source);
    let unread = lookup::is_unread(&request, &name, context.surroundings).then(|| name.clone());
    let named_at = request.get(Meaning::Model).and_then(|said| said.span);
    let (facts, amount) = match lookup::lookup(&request, &name, context.surroundings) {
        Lookup::Found(facts) => {
            let is_usual =
                request.get(Meaning::Model).is_some_and(|said| matches!(said.value, Known::Usually(_)));
            if is_usual {
                notes.add("model", name.clone(), text("estimate-option-default", &[]), named_at);
            }
            named(&facts, named_at, &mut notes);
            let amount = weigh(index, &request, &facts, (context, &mut notes));
            (Some(facts), amount)
        }
        Lookup::Broken(why) => (None, Err(why)),
        Lookup::Unknown => (None, Err(text("estimate-unknown-model", &[("model", &name)]))),
    };
    let hover =
        [Some(call.callee), named_at].into_iter().flatten().map(|span| context.locate(span)).collect();
    let estimate = Estimate {
        location: context.locate(call.span),
        hover,
        kind: EstimateKind::Load,
        model: Some(facts.as_ref().map_or(name, |facts| facts.name.clone())),
        model_source: facts.as_ref().map(|facts| source(facts)),
        amount,
        assumptions: notes.finish(),
    };
    Some(Load { estimate, unread })
}

/// A pipeline of a task that takes a model by itself.
fn nameless(request: &Request, context: &Context) -> Option<Load> {
    let call = request.call;
    let is_open = call.arguments.open || call.arguments.positional.is_empty();
    if call.role != Role::TaskPipeline || request.get(Meaning::Model).is_some() || is_open {
        return None;
    }
    let written = text("estimate-task-model", &[("call", &context.quote(call.span))]);
    let estimate = Estimate {
        location: context.locate(call.span),
        hover: vec![context.locate(call.callee)],
        kind: EstimateKind::Load,
        model: None,
        model_source: None,
        amount: Err(written),
        assumptions: Vec::new(),
    };
    Some(Load { estimate, unread: None })
}

/// Whether calls of this role load a model.
fn loads(role: Role) -> bool {
    matches!(
        role,
        Role::Model
            | Role::DiffusionPipeline
            | Role::DiffusionModel
            | Role::SentenceTransformer
            | Role::TaskPipeline
            | Role::Adapter
            | Role::VisionModel
            | Role::TimmModel
    )
}

/// The bytes of a load.
fn weigh(
    index: usize,
    request: &Request,
    facts: &ModelFacts,
    (context, notes): (&Context, &mut Notes),
) -> Result<Amount, String> {
    let choice = chosen(context.settings.gpu.as_deref(), notes);
    let drafts = assemble(request, facts, context, notes)?;
    for said in request.unheard() {
        notes.add(
            said.keyword.name,
            text("estimate-none", &[]),
            unheard(request, said.keyword.name),
            said.span,
        );
    }
    let wishes = wishes(request, notes);
    let schemes = schemes(request, &context.script.calls, notes);
    let quantizes = schemes.first().is_some_and(super::quantizing::Scheme::needs_gpu);
    let placing = placing(request, cards(choice.as_ref()), quantizes, notes);
    let ways = ways(&deeds(index, context));
    let options = Options { wishes, schemes, place: placing.place, ways };
    let cases = cases(request, &drafts, &facts.source, &options);
    if let Some(likeliest) = cases.first() {
        kept_apart(likeliest, request, notes);
        let is_unpacked = |component: &Component| matches!(component.quantized, Some(Quantization::Gguf(_)));
        if unpacks(request) && facts.components.iter().any(is_unpacked) {
            let types = likeliest.pieces.iter().map(|piece| piece.precision.to_string()).next();
            let callee = Some(request.call.callee);
            notes.add("dtype", types.unwrap_or_default(), text("estimate-dequantized", &[]), callee);
        }
        treated(request, likeliest, placing.said, notes);
    }
    let puts = |step: &Step| matches!(step.change, Change::Put(_));
    let is_moved = cases.iter().any(|case| case.steps().iter().any(puts));
    let basis = Basis {
        request: Some(request),
        facts,
        certainty: certainty(request, facts),
        choice: choice.as_ref(),
        kept_on_host: placing.said || is_moved,
    };
    let amount =
        amount(basis, &cases).ok_or_else(|| text("estimate-unknown-model", &[("model", &facts.name)]))?;
    if placing.spills && amount.cards.iter().any(|card| card.verdict == Verdict::DoesNotFit) {
        notes.add(
            "device",
            placing::shown(placing.place),
            text("estimate-spills", &[]),
            Some(request.call.callee),
        );
    }
    Ok(amount)
}

/// How many cards there are.
fn cards(choice: Option<&Choice>) -> u32 {
    choice.map_or(1, |choice| choice.card.count)
}

/// How much the facts can be relied on for this call: a head that is made anew is not counted.
fn certainty(request: &Request, facts: &ModelFacts) -> Certainty {
    let has_new_head = Loading::tables().holds(request.class()) == Holds::BaseAndHead;
    if facts.certainty == Certainty::Exact && has_new_head { Certainty::Counted } else { facts.certainty }
}

/// Why a keyword has no effect.
fn unheard(request: &Request, keyword: &str) -> String {
    let package = request.loader.package;
    let installed = request.versions.get(package);
    let version = installed.and_then(|known| known.exact.clone()).unwrap_or_default();
    let source = installed.map(|known| known.source.clone()).unwrap_or_default();
    let arguments = [
        ("keyword", keyword),
        ("package", package),
        ("version", version.as_str()),
        ("source", source.as_str()),
    ];
    text("estimate-keyword-unheard", &arguments)
}

/// Notes how the name led to the model, and how sure its size is.
pub fn named(facts: &ModelFacts, place: Option<Span>, notes: &mut Notes) {
    if let FactSource::Catalog { resolved: Some(how), .. } = &facts.source {
        notes.add("model", facts.name.clone(), how.clone(), place);
    }
    if let Some(parts) = &facts.uncounted {
        notes.add(
            "parts",
            text("estimate-unknown", &[]),
            text("estimate-uncounted", &[("parts", parts)]),
            place,
        );
    }
    let parameters = count(facts.parameters());
    match facts.certainty {
        Certainty::Exact => {}
        Certainty::Counted => notes.add("parameters", parameters, text("estimate-counted", &[]), place),
        Certainty::Guessed => notes.add("parameters", parameters, text("estimate-guessed", &[]), place),
        Certainty::Disputed => {
            let other = count(facts.disputed.unwrap_or_default());
            notes.add("parameters", parameters, text("estimate-disputed", &[("other", &other)]), place);
        }
    }
}

/// Notes what a quantization does not do what one expects of it.
fn kept_apart(case: &Case, request: &Request, notes: &mut Notes) {
    for piece in &case.pieces {
        let Precision::Quantized { quantization, rest } = piece.precision else { continue };
        if piece.fused > 0 && matches!(quantization, Quantization::Bnb4 { .. } | Quantization::Bnb8) {
            let is_sure = fuses_experts(request).len() == 1;
            let why = if is_sure {
                text("estimate-experts-fused", &[])
            } else {
                text("estimate-experts-by-version", &[])
            };
            notes.add("experts", rest.to_string(), why, Some(request.call.callee));
        }
        if quantization == Quantization::Mxfp4 {
            let why = text("estimate-needs-kernels", &[]);
            notes.add("quantization", quantization.to_string(), why, Some(request.call.callee));
        }
    }
}

/// Notes what the text does to the weights in the likeliest case.
fn treated(request: &Request, case: &Case, placed: bool, notes: &mut Notes) {
    let mut is_moved = placed;
    for deed in &case.way {
        for step in &deed.steps {
            is_moved |= !matches!(step.change, Change::Cast(_));
            let (what, value) = change(step.change);
            match doubt(deed) {
                Some(why) => notes.add(what, value, why, Some(deed.span)),
                None => notes.written(what, value, Some(deed.span)),
            }
        }
    }
    if let Some(passing) = case.outcome.passing {
        let deed = case
            .way
            .iter()
            .find(|deed| case.steps().get(passing).is_some_and(|step| deed.steps.contains(step)));
        let place = deed.map(|deed| deed.span);
        notes.add("peak", case.outcome.peak.expected.to_string(), text("estimate-passing-peak", &[]), place);
    }
    let is_on_host =
        case.outcome.pieces.iter().all(|piece| piece.place == Place::Host && piece.offload.is_none());
    if !is_moved && is_on_host {
        let key = if request.call.leaves {
            text("estimate-moved-elsewhere", &[])
        } else {
            text("estimate-not-moved", &[])
        };
        notes.add("device", placing::shown(Place::Host), key, Some(request.call.callee));
    }
}

/// What is not certain about what is done.
fn doubt(deed: &Deed) -> Option<String> {
    match (deed.guessed, deed.certain) {
        (true, _) => Some(text("estimate-device-unknown", &[])),
        (false, true) => None,
        (false, false) => Some(text("estimate-if-it-runs", &[])),
    }
}

fn change(change: Change) -> (&'static str, String) {
    match change {
        Change::Cast(dtype) => ("dtype", dtype.to_string()),
        Change::Put(place) => ("device", placing::shown(place)),
        Change::Offload(Mode::Components) => ("offload", text("estimate-offload-components", &[])),
        Change::Offload(Mode::Leaves) => ("offload", text("estimate-offload-leaves", &[])),
        Change::Offload(Mode::Groups) => ("offload", text("estimate-offload-groups", &[])),
    }
}

/// Where the facts of a model come from, in words.
pub fn source(facts: &ModelFacts) -> String {
    let files = |path: &Path| path.display().to_string();
    match (&facts.source, facts.certainty) {
        (FactSource::Catalog { id, .. }, Certainty::Exact) => {
            text("estimate-source-confirmed", &[("model", id)])
        }
        (FactSource::Catalog { id, .. }, _) => text("estimate-source-catalog", &[("model", id)]),
        (FactSource::Config(path) | FactSource::Files(path), _) => files(path),
        (FactSource::Name, _) => text("estimate-source-name", &[]),
    }
}
