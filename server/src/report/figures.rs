//! Numbers in words: never more certain than they are.

use crate::estimate::{Amount, Certainty};
use crate::memory::Bytes;
use crate::texts::text;

/// Bounds that lie this far apart, in hundredths of the lower, are shown instead of the number between them.
const APART: u64 = 125;

/// A number whose bounds lie within this, in hundredths of the lower, needs no word about its doubt.
const FIRM: u64 = 102;

/// From here on a number in a coarse range needs no digit after the point.
const COARSE_GIB: f64 = 10.0;

/// How a number is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showing {
    /// As it is.
    Firm,
    /// With "about".
    About,
    /// By its bounds.
    Between,
}

/// How the numbers of an amount are shown.
pub fn showing(amount: &Amount) -> Showing {
    let beyond =
        |hundredths: u64| amount.high.0.saturating_mul(100) > amount.low.0.saturating_mul(hundredths);
    match amount.certainty {
        Certainty::Guessed | Certainty::Disputed => Showing::Between,
        _ if beyond(APART) => Showing::Between,
        Certainty::Counted => Showing::About,
        Certainty::Exact if beyond(FIRM) => Showing::About,
        Certainty::Exact => Showing::Firm,
    }
}

/// Whether nothing of it is on a GPU.
pub fn is_on_host(amount: &Amount) -> bool {
    amount.high == Bytes::default()
}

/// What is needed, in words that carry how sure it is: `14.96 GiB`, `about 13–27 GiB`.
pub fn words(amount: &Amount) -> String {
    match showing(amount) {
        // Bounds that are no guess speak for themselves.
        Showing::Between if amount.certainty != Certainty::Guessed && !is_on_host(amount) => figure(amount),
        _ => hedged(amount, &figure(amount)),
    }
}

/// What is needed, as short as it can be said, for beside the code: `14.96 GiB`, `≈ 13–27 GiB`.
pub fn label(amount: &Amount) -> String {
    let figure = approximate(amount, &figure(amount));
    if is_on_host(amount) { text("report-label-host", &[("figure", &figure)]) } else { figure }
}

/// A figure with a sign before it when it is not exact.
pub fn approximate(amount: &Amount, figure: &str) -> String {
    match showing(amount) {
        Showing::Firm => figure.to_owned(),
        Showing::About | Showing::Between => format!("≈ {figure}"),
    }
}

/// A figure with "about" before it when it is not exact.
pub fn hedged(amount: &Amount, figure: &str) -> String {
    match showing(amount) {
        Showing::Firm => figure.to_owned(),
        Showing::About | Showing::Between => text("report-about", &[("figure", figure)]),
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

/// The number, or its bounds: of what is on the GPU, or of what would be if it were moved there.
fn figure(amount: &Amount) -> String {
    if is_on_host(amount) {
        return all_weights(amount).to_string();
    }
    match showing(amount) {
        Showing::Between => range(amount, Bytes::default()),
        Showing::Firm | Showing::About => amount.allocated_peak.to_string(),
    }
}

/// The weights of all parts, wherever they are.
pub fn all_weights(amount: &Amount) -> Bytes {
    amount.parts.iter().map(|part| part.weights).sum()
}

/// The bounds, with something added to both, and without digits that nobody can vouch for.
pub fn range(amount: &Amount, added: Bytes) -> String {
    let is_guess = amount.certainty == Certainty::Guessed;
    let [low, high] = [amount.low, amount.high].map(|bound| rounded(bound + added, is_guess));
    let same_unit = low.rsplit_once(' ').filter(|(_, unit)| high.ends_with(unit));
    match same_unit {
        _ if low == high => low,
        Some((number, _)) => format!("{number}–{high}"),
        None => format!("{low}–{high}"),
    }
}

/// A bound with a digit after the point; a guess deserves fewer.
fn rounded(size: Bytes, is_guess: bool) -> String {
    match size.as_gib() {
        gib if is_guess && gib >= COARSE_GIB => format!("{gib:.0} GiB"),
        gib if gib >= 1.0 => format!("{gib:.1} GiB"),
        gib => format!("{:.0} MiB", gib * 1024.0),
    }
}

/// A number of parameters with "about" before it when it is not confirmed.
pub fn parameters(amount: &Amount, parameters: u64) -> String {
    match amount.certainty {
        Certainty::Exact => count(parameters),
        Certainty::Counted | Certainty::Disputed | Certainty::Guessed => {
            text("report-about", &[("figure", &count(parameters))])
        }
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
