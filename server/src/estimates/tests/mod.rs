//! What a load is said to need: scripts with the estimate written under the call it is about.

mod diffusers;
mod every_model;
mod models;
mod surroundings;
mod transformers;
mod well_known;
mod words;

use vramlens_grammars::{Document, Source, Span};

use crate::analysis::{Analysis, analyze};
use crate::annotations::{self, Annotated};
use crate::estimate::{Amount, Certainty, Estimate, Verdict};
use crate::memory::Bytes;
use crate::settings::Settings;
use crate::surroundings::Surroundings;

pub use surroundings::World;

/// Compares all estimates of a script, in a world, with all annotations in it.
#[track_caller]
fn check(world: &World, annotated: &str) {
    let Annotated { source, notes } = annotations::read(annotated);
    let found: Vec<(Span, String)> = analysis(world, &source)
        .estimates
        .iter()
        .map(|estimate| {
            (annotations::on_first_line(&source, estimate.location.span), headline(world, estimate))
        })
        .collect();
    assert!(
        found == notes,
        "expected:\n{}\nfound:\n{}",
        annotations::write(&source, &notes),
        annotations::write(&source, &found)
    );
}

/// The analysis of a script in a world.
fn analysis(world: &World, source: &str) -> Analysis {
    let document = Document::python(Source::file(source.to_owned()));
    analyze(&document, &world.surroundings, &world.settings)
}

/// What a person reads first of each load in a script.
fn headlines(world: &World, source: &str) -> Vec<String> {
    analysis(world, source).estimates.iter().map(|estimate| headline(world, estimate)).collect()
}

/// Why something is taken for a script's first load.
fn told(world: &World, source: &str, what: &str) -> Vec<String> {
    let estimates = analysis(world, source).estimates;
    let assumptions = estimates.into_iter().take(1).flat_map(|estimate| estimate.assumptions);
    assumptions.filter(|assumption| assumption.what == what).map(|assumption| assumption.why).collect()
}

/// What a person reads first: parameters, precision, what is on the GPU, the range where it is wide, and the verdict on
/// the card in the settings.
fn headline(world: &World, estimate: &Estimate) -> String {
    match &estimate.amount {
        Err(why) => why.clone(),
        Ok(amount) => {
            let card = world.settings.gpu.as_ref().map(|_| cards(amount)).unwrap_or_default();
            let told = [sized(amount), precision(amount), bytes(amount), card];
            told.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "shown with few digits")]
fn sized(amount: &Amount) -> String {
    let parameters = amount.parameters.unwrap_or_default() as f64;
    let about = match amount.certainty {
        Certainty::Exact => "",
        Certainty::Counted => "about ",
        Certainty::Disputed => "disputed ",
        Certainty::Guessed => "guess ",
    };
    if parameters >= 1e9 {
        format!("{about}{:.2}B", parameters / 1e9)
    } else {
        format!("{about}{:.1}M", parameters / 1e6)
    }
}

/// The precision of all parts; of the largest first.
fn precision(amount: &Amount) -> String {
    let mut parts: Vec<_> = amount.parts.iter().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.weights));
    let mut precisions: Vec<&str> = parts.iter().map(|part| part.precision.as_str()).collect();
    precisions.dedup();
    precisions.join("+")
}

fn bytes(amount: &Amount) -> String {
    let each = if amount.per_gpu { " each" } else { "" };
    let peak = amount.allocated_peak;
    if peak == Bytes(0) {
        let weights: Bytes = amount.parts.iter().map(|part| part.weights).sum();
        return format!("{weights} on the host");
    }
    let is_wide = amount.high.0 - amount.low.0 > peak.0 / 4;
    let range = if is_wide { format!(" ({} to {})", amount.low, amount.high) } else { String::new() };
    format!("{peak}{each}{range}")
}

/// The verdict on the first card.
fn cards(amount: &Amount) -> String {
    let Some(card) = amount.cards.first() else { return String::new() };
    let verdict = match card.verdict {
        Verdict::Fits => "fits",
        Verdict::Tight => "tight on",
        Verdict::DoesNotFit => "does not fit",
        Verdict::Unknown => "unknown on",
    };
    format!("{verdict} {}", card.name)
}
