//! Numbers in words: never more certain than they are.

use crate::estimate::{Amount, Certainty};
use crate::memory::Bytes;
use crate::texts::text;

/// From here on a number in a coarse range needs no digit after the point.
const COARSE_GIB: f64 = 10.0;

/// What is needed, in words that carry how sure it is: `14.96 GiB`, `about 13–27 GiB`.
pub fn words(amount: &Amount) -> String {
    match (amount.certainty, bounds(amount)) {
        (Certainty::Disputed, Some((low, high))) => {
            text("report-either", &[("low", &low.to_string()), ("high", &high.to_string())])
        }
        _ => hedged(amount.certainty, &figure(amount)),
    }
}

/// What is needed, as short as it can be said, for beside the code: `14.96 GiB`, `≈ 13–27 GiB`.
pub fn label(amount: &Amount) -> String {
    approximate(amount, &figure(amount))
}

/// A figure with a sign before it when it is not exact.
pub fn approximate(amount: &Amount, figure: &str) -> String {
    if is_firm(amount) { figure.to_owned() } else { format!("≈ {figure}") }
}

/// Whether the number can be shown without a word about its doubt.
fn is_firm(amount: &Amount) -> bool {
    amount.certainty == Certainty::Exact && bounds(amount).is_none()
}

/// A figure with "about" before it when it is not exact.
pub fn hedged(certainty: Certainty, figure: &str) -> String {
    match certainty {
        Certainty::Exact => figure.to_owned(),
        Certainty::Counted | Certainty::Disputed | Certainty::Guessed => {
            text("report-about", &[("figure", figure)])
        }
    }
}

/// Why a number is in doubt, as the end of a sentence about it.
pub fn doubt(amount: &Amount) -> Option<String> {
    match amount.certainty {
        Certainty::Exact | Certainty::Counted => None,
        Certainty::Disputed => Some(text("report-disputed", &[])),
        Certainty::Guessed => Some(text("report-guessed", &[])),
    }
}

/// The number, or its bounds where they differ.
pub fn figure(amount: &Amount) -> String {
    let Some((low, high)) = bounds(amount) else { return amount.allocated_peak.to_string() };
    range(low, high, amount.certainty == Certainty::Guessed)
}

/// The bounds, where they differ in what is shown of them.
pub fn bounds(amount: &Amount) -> Option<(Bytes, Bytes)> {
    (amount.low.to_string() != amount.high.to_string()).then_some((amount.low, amount.high))
}

/// Two sizes as a range; a coarse one has no digits that nobody can vouch for.
pub fn range(low: Bytes, high: Bytes, coarse: bool) -> String {
    let (low, high) =
        if coarse { (rounded(low), rounded(high)) } else { (low.to_string(), high.to_string()) };
    let same_unit = low.rsplit_once(' ').filter(|(_, unit)| high.ends_with(unit));
    match same_unit {
        _ if low == high => low,
        Some((number, _)) => format!("{number}–{high}"),
        None => format!("{low}–{high}"),
    }
}

/// A size with as many digits as a guess deserves.
fn rounded(size: Bytes) -> String {
    match size.as_gib() {
        gib if gib >= COARSE_GIB => format!("{gib:.0} GiB"),
        gib if gib >= 1.0 => format!("{gib:.1} GiB"),
        gib => format!("{:.0} MiB", gib * 1024.0),
    }
}

/// A number of parameters as people write it: `8.03B`, `7B`, `124M`.
#[allow(clippy::cast_precision_loss, reason = "shown with three digits")]
pub fn count(parameters: u64) -> String {
    let number = parameters as f64;
    let (scaled, unit) = match number {
        _ if number >= 0.9995e9 => (number / 1e9, "B"),
        _ if number >= 0.9995e6 => (number / 1e6, "M"),
        _ if number >= 1e3 => (number / 1e3, "K"),
        _ => return parameters.to_string(),
    };
    let digits = match scaled {
        _ if scaled >= 99.95 => 0,
        _ if scaled >= 9.995 => 1,
        _ => 2,
    };
    let written = format!("{scaled:.digits$}");
    let short = if digits > 0 { written.trim_end_matches('0').trim_end_matches('.') } else { &written };
    format!("{short}{unit}")
}
