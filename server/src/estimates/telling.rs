//! What there is to say about a number: the facts behind it in words.

use std::path::Path;

use vramlens_grammars::Span;

use crate::estimate::Certainty;
use crate::estimates::cases::{Case, fuses_experts, unpacks};
use crate::estimates::notes::Notes;
use crate::estimates::placing;
use crate::estimates::plan::{Change, Mode, Place};
use crate::estimates::request::Request;
use crate::estimates::steps::Deed;
use crate::memory::weights::{Precision, Quantization};
use crate::models::{Component, FactSource, ModelFacts};
use crate::report::count;
use crate::texts::text;

/// Notes what the call says that the installed version does not know.
pub fn unknown_keywords(request: &Request, notes: &mut Notes) {
    let package = request.loader.package;
    let (version, source) = request.installed().unwrap_or_default();
    for said in request.unknown_keywords() {
        let (keyword, version) = (said.keyword.name, version.as_str());
        let arguments =
            [("keyword", keyword), ("package", package), ("version", version), ("source", source)];
        let why = if said.fails {
            text("estimate-keyword-raises", &arguments)
        } else {
            text("estimate-keyword-unheard", &arguments)
        };
        notes.add(keyword, text("estimate-none", &[]), why, said.span);
    }
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

/// Notes where a quantization is not what one expects of it.
pub fn held(request: &Request, facts: &ModelFacts, case: &Case, notes: &mut Notes) {
    let is_unpacked = |component: &Component| matches!(component.quantized, Some(Quantization::Gguf(_)));
    if unpacks(request) && facts.components.iter().any(is_unpacked) {
        let held = case.pieces.first().map(|piece| piece.precision.to_string());
        let why = text("estimate-dequantized", &[]);
        notes.add("dtype", held.unwrap_or_default(), why, Some(request.call.callee));
    }
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

/// Notes what the text does to the weights in the likeliest case; `waits` says that nothing moves them to the GPU on
/// which they are counted.
pub fn treated(request: &Request, case: &Case, waits: bool, notes: &mut Notes) {
    for deed in &case.way {
        for step in &deed.steps {
            let (what, value) = change(step.change);
            match doubt(deed, step.change) {
                Some(why) => notes.add(what, value, why, Some(deed.span)),
                None => notes.written(what, value, Some(deed.span)),
            }
        }
    }
    if case.outcome.passing {
        let doers = case.way.iter().flat_map(|deed| deed.steps.iter().map(|_| deed.span));
        let reached = case.outcome.reached.and_then(|number| doers.clone().nth(number));
        let place = reached.unwrap_or(request.call.callee);
        let peak = case.outcome.peak.expected.to_string();
        notes.add("peak", peak, text("estimate-passing-peak", &[]), Some(place));
    }
    if waits {
        let key = if request.call.leaves || request.call.trained {
            text("estimate-moved-elsewhere", &[])
        } else {
            text("estimate-not-moved", &[])
        };
        notes.add("device", placing::shown(Place::Gpu), key, Some(request.call.callee));
    }
}

/// Notes what else there may be on the GPU, where the program chooses what it does.
pub fn otherwise(likeliest: &Case, cases: &[Case], notes: &mut Notes) {
    let others = cases.iter().filter(|case| case.pieces == likeliest.pieces);
    for other in others.filter(|other| other.outcome.peak != likeliest.outcome.peak) {
        if let Some(deed) = other.way.iter().rev().find(|deed| !deed.certain) {
            let peak = other.outcome.peak.expected.to_string();
            notes.add("otherwise", peak, text("estimate-if-it-runs-instead", &[]), Some(deed.span));
        }
    }
}

/// What is not certain, or not plain, about what is done.
fn doubt(deed: &Deed, change: Change) -> Option<String> {
    match (deed.guessed, deed.certain, change) {
        (true, ..) => Some(text("estimate-device-unknown", &[])),
        (false, false, _) => Some(text("estimate-if-it-runs", &[])),
        (false, true, Change::Offload(Mode::Leaves)) => Some(text("estimate-only-a-layer", &[])),
        (false, true, Change::Offload(Mode::Groups)) => Some(text("estimate-only-some-blocks", &[])),
        (false, true, _) => None,
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
