//! How an estimate is put to a person: as a headline, a few points and an aligned block.
//!
//! A [`Report`] is made once, and written as Markdown or as plain text with the same words. It knows
//! nothing of the protocol or the terminal, which both show it.

mod figures;
mod markdown;
mod plain;
mod points;
mod table;
#[cfg(test)]
pub(crate) mod tests;

use crate::estimate::{Amount, Estimate, EstimateKind};
use crate::texts::{harmless, text};

pub use figures::{count, label};
pub use points::verdict;

/// No name of a model or a part is shown longer than this, in scalar values.
const LONGEST_NAME: usize = 80;

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markup {
    /// As it is read, without any marks but backticks.
    #[default]
    Plain,
    /// As `CommonMark`, without HTML, tables or links.
    Markdown,
}

/// What there is to say about one estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The model and what it needs, in one sentence.
    pub headline: String,
    /// What it means and what it rests on, the most important first.
    pub points: Vec<String>,
    /// Where the bytes go, as aligned lines; empty when they are not known.
    pub block: Vec<String>,
}

impl Report {
    /// What there is to say about an estimate.
    pub fn new(estimate: &Estimate) -> Self {
        let block = estimate.amount.as_ref().map(table::lines).unwrap_or_default();
        Self { headline: headline(estimate), points: points::of(estimate), block }
    }

    /// The report in one of its forms.
    pub fn write(&self, markup: Markup) -> String {
        match markup {
            Markup::Plain => plain::write(self),
            Markup::Markdown => markdown::write(self),
        }
    }
}

/// The model and what it needs, in one sentence without a full stop.
pub fn headline(estimate: &Estimate) -> String {
    let model = estimate.model.as_deref().map_or_else(|| text("report-nameless", &[]), quoted);
    let Ok(amount) = &estimate.amount else {
        return text("report-not-known", &[("model", &model)]);
    };
    let figure = figures::words(amount);
    let arguments = [("model", model.as_str()), ("figure", figure.as_str())];
    let sentence = match estimate.kind {
        _ if figures::is_on_host(amount) => text("report-on-host", &arguments),
        EstimateKind::Load | EstimateKind::Pipeline => text("report-weights", &arguments),
        EstimateKind::Train | EstimateKind::Forward | EstimateKind::Generate | EstimateKind::Serve => {
            text(if amount.per_gpu { "report-peak-per-gpu" } else { "report-peak" }, &arguments)
        }
    };
    let facts = facts(amount).map(|facts| format!(" ({facts})"));
    let doubt = figures::doubt(amount).map(|doubt| format!(", {doubt}"));
    sentence + &facts.unwrap_or_default() + &doubt.unwrap_or_default()
}

/// What is loaded: how many parameters, in which precision.
fn facts(amount: &Amount) -> Option<String> {
    let parameters = amount
        .parameters
        .map(|parameters| text("report-parameters", &[("count", &figures::parameters(amount, parameters))]));
    let facts: Vec<String> = parameters.into_iter().chain(precision(amount)).collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

/// The precision that all parts have, or the two that they have.
fn precision(amount: &Amount) -> Option<String> {
    let mut precisions: Vec<&str> = Vec::new();
    for part in &amount.parts {
        if !part.precision.is_empty() && !precisions.contains(&part.precision.as_str()) {
            precisions.push(&part.precision);
        }
    }
    match precisions.as_slice() {
        [] => None,
        [one] => Some(harmless(one)),
        [one, other] => {
            Some(text("report-two-precisions", &[("one", &harmless(one)), ("other", &harmless(other))]))
        }
        _ => Some(text("report-precisions", &[])),
    }
}

/// A name from the user's files or code, in backticks, as short as it has to be.
fn quoted(name: &str) -> String {
    format!("`{}`", shortened(name).replace('`', "'"))
}

/// A name that moves no cursor and fits a line.
fn shortened(name: &str) -> String {
    let name = harmless(name);
    if name.chars().count() <= LONGEST_NAME {
        return name;
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}
