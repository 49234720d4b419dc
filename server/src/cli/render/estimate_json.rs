//! Estimates as data for other programs.

use serde::Serialize;
use vramlens_grammars::Location;

use crate::cli::place::{Place, Places};
use crate::cli::render::list_json;
use crate::estimate::{Amount, Breakdown, Certainty, Estimate, EstimateKind, Verdict};

/// What estimates belong to: a name, and the text they stand in if they stand in one.
pub struct Subject<'a> {
    /// The file or the model, as it was given.
    pub name: &'a str,
    /// The places of the file's text; a model has none.
    pub places: Option<Places<'a>>,
    /// What was estimated.
    pub estimates: &'a [Estimate],
}

/// All estimates as one array.
pub fn json(subjects: &[Subject<'_>]) -> String {
    let all = subjects.iter().flat_map(|subject| subject.estimates.iter().map(move |one| (one, subject)));
    let estimates: Vec<JsonEstimate<'_>> =
        all.map(|(estimate, subject)| JsonEstimate::new(estimate, subject)).collect();
    list_json(&estimates)
}

/// An estimate in JSON.
#[derive(Serialize)]
struct JsonEstimate<'a> {
    filename: &'a str,
    location: Option<JsonPlace>,
    kind: &'static str,
    model: Option<&'a str>,
    model_source: Option<&'a str>,
    certainty: Option<&'static str>,
    parameters: Option<u64>,
    bytes: Option<JsonBytes>,
    unknown: Option<&'a str>,
    allocated_peak: Option<u64>,
    reserved_peak: Option<u64>,
    low: Option<u64>,
    high: Option<u64>,
    per_gpu: bool,
    parts: Vec<JsonPart<'a>>,
    assumptions: Vec<JsonAssumption<'a>>,
    gpus: Vec<JsonCard<'a>>,
    levers: Vec<JsonLever<'a>>,
}

/// A place in JSON; the cell is there in a notebook only.
#[derive(Serialize)]
struct JsonPlace {
    #[serde(flatten)]
    place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
}

/// Where the bytes go, in JSON.
#[derive(Serialize)]
struct JsonBytes {
    weights: u64,
    gradients: u64,
    optimizer: u64,
    activations: u64,
    logits: u64,
    kv_cache: u64,
    overhead: u64,
    total: u64,
}

/// A part of what is loaded, in JSON.
#[derive(Serialize)]
struct JsonPart<'a> {
    name: &'a str,
    parameters: Option<u64>,
    precision: &'a str,
    weights: u64,
    on_gpu: u64,
}

/// What is taken for granted, in JSON.
#[derive(Serialize)]
struct JsonAssumption<'a> {
    what: &'a str,
    value: &'a str,
    why: &'a str,
    change_at: Option<JsonPlace>,
}

/// A card in JSON.
#[derive(Serialize)]
struct JsonCard<'a> {
    name: &'a str,
    capacity: u64,
    usable: u64,
    verdict: &'static str,
    headroom: i64,
}

/// A lever in JSON.
#[derive(Serialize)]
struct JsonLever<'a> {
    name: &'a str,
    saves: u64,
    cost: &'a str,
    edit: bool,
}

impl<'a> JsonEstimate<'a> {
    fn new(estimate: &'a Estimate, subject: &Subject<'a>) -> Self {
        let place = |location| subject.places.as_ref().map(|places| JsonPlace::new(location, places));
        let amount = estimate.amount.as_ref().ok();
        let assumptions = estimate.assumptions.iter().map(|assumption| JsonAssumption {
            what: &assumption.what,
            value: &assumption.value,
            why: &assumption.why,
            change_at: assumption.change_at.and_then(place),
        });
        Self {
            filename: subject.name,
            location: place(estimate.location),
            kind: kind(estimate.kind),
            model: estimate.model.as_deref(),
            model_source: estimate.model_source.as_deref(),
            certainty: amount.map(|amount| certainty(amount.certainty)),
            parameters: amount.and_then(|amount| amount.parameters),
            bytes: amount.map(|amount| JsonBytes::new(&amount.bytes)),
            unknown: estimate.amount.as_ref().err().map(String::as_str),
            allocated_peak: amount.map(|amount| amount.allocated_peak.0),
            reserved_peak: amount.map(|amount| amount.reserved_peak.0),
            low: amount.map(|amount| amount.low.0),
            high: amount.map(|amount| amount.high.0),
            per_gpu: amount.is_some_and(|amount| amount.per_gpu),
            parts: amount.map(parts).unwrap_or_default(),
            assumptions: assumptions.collect(),
            gpus: amount.map(cards).unwrap_or_default(),
            levers: amount.map(levers).unwrap_or_default(),
        }
    }
}

impl JsonPlace {
    fn new(location: Location, places: &Places<'_>) -> Self {
        Self { place: places.start(location), cell: location.cell }
    }
}

impl JsonBytes {
    fn new(bytes: &Breakdown) -> Self {
        Self {
            weights: bytes.weights.0,
            gradients: bytes.gradients.0,
            optimizer: bytes.optimizer.0,
            activations: bytes.activations.0,
            logits: bytes.logits.0,
            kv_cache: bytes.kv_cache.0,
            overhead: bytes.overhead.0,
            total: bytes.total().0,
        }
    }
}

fn parts(amount: &Amount) -> Vec<JsonPart<'_>> {
    let parts = amount.parts.iter().map(|part| JsonPart {
        name: &part.name,
        parameters: part.parameters,
        precision: &part.precision,
        weights: part.weights.0,
        on_gpu: part.on_gpu.0,
    });
    parts.collect()
}

fn cards(amount: &Amount) -> Vec<JsonCard<'_>> {
    let cards = amount.cards.iter().map(|card| JsonCard {
        name: &card.name,
        capacity: card.capacity.0,
        usable: card.usable.0,
        verdict: verdict(card.verdict),
        headroom: card.headroom,
    });
    cards.collect()
}

fn levers(amount: &Amount) -> Vec<JsonLever<'_>> {
    let levers = amount.levers.iter().map(|lever| JsonLever {
        name: &lever.name,
        saves: lever.saves.0,
        cost: &lever.cost,
        edit: lever.edit,
    });
    levers.collect()
}

fn kind(kind: EstimateKind) -> &'static str {
    match kind {
        EstimateKind::Load => "load",
        EstimateKind::Train => "train",
        EstimateKind::Forward => "forward",
        EstimateKind::Generate => "generate",
        EstimateKind::Serve => "serve",
        EstimateKind::Pipeline => "pipeline",
    }
}

fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Exact => "exact",
        Certainty::Counted => "counted",
        Certainty::Disputed => "disputed",
        Certainty::Guessed => "guessed",
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fits => "fits",
        Verdict::Tight => "tight",
        Verdict::DoesNotFit => "does-not-fit",
        Verdict::Unknown => "unknown",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail")]
mod tests {
    use serde_json::{Value, json};
    use vramlens_grammars::{Source, Span};

    use super::*;
    use crate::report::tests::llama;

    fn read(source: Option<&Source>, estimate: Estimate) -> Value {
        let estimates = [estimate];
        let subject = Subject { name: "a.ipynb", places: source.map(Places::new), estimates: &estimates };
        let Value::Array(mut values) = serde_json::from_str(&super::json(&[subject])).unwrap() else {
            unreachable!("it is an array")
        };
        values.remove(0)
    }

    #[test]
    fn every_key_is_there() {
        let source = Source::cells([(3, "x = 1\n'😀'; m = load('m')\n")]);
        let location = Location { cell: Some(3), span: Span::new(18, 27) };
        let mut estimate = llama(location);
        estimate.assumptions.iter_mut().for_each(|assumption| assumption.change_at = Some(location));
        let place = json!({"row": 2, "column": 10, "cell": 3});
        let weights = 16_060_522_496_u64;
        let overhead = 500 << 20;
        assert_eq!(
            read(Some(&source), estimate),
            json!({
                "filename": "a.ipynb",
                "location": place,
                "kind": "load",
                "model": "meta-llama/Llama-3.1-8B",
                "model_source": "catalog of vramlens, confirmed by the published count",
                "certainty": "exact",
                "parameters": 8_030_261_248_u64,
                "bytes": {
                    "weights": weights, "gradients": 0, "optimizer": 0, "activations": 0, "logits": 0,
                    "kv_cache": 0, "overhead": overhead, "total": weights + overhead,
                },
                "unknown": null,
                "allocated_peak": weights,
                "reserved_peak": weights,
                "low": weights,
                "high": weights,
                "per_gpu": false,
                "parts": [{
                    "name": "", "parameters": 8_030_261_248_u64, "precision": "bfloat16",
                    "weights": weights, "on_gpu": weights,
                }],
                "assumptions": [{
                    "what": "dtype", "value": "bfloat16", "why": "`torch_dtype` of this call", "change_at": place,
                }],
                "gpus": [{
                    "name": "RTX 4090 24GB", "capacity": 24_u64 << 30, "usable": 24_u64 << 30,
                    "verdict": "fits", "headroom": 8_611_409_428_i64,
                }],
                "levers": [],
            })
        );
    }

    #[test]
    fn a_model_by_its_name_has_no_place() {
        assert_eq!(read(None, llama(Location { cell: None, span: Span::at(0) }))["location"], Value::Null);
    }

    #[test]
    fn what_is_not_known_has_no_bytes_and_a_sentence() {
        let mut estimate = llama(Location { cell: None, span: Span::at(0) });
        estimate.amount = Err("Nothing is known of it.".to_owned());
        let value = read(None, estimate);
        assert_eq!((&value["bytes"], &value["allocated_peak"]), (&Value::Null, &Value::Null));
        assert_eq!(value["unknown"], "Nothing is known of it.");
    }
}
