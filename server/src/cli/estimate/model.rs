//! A model that is asked for by its name: as it is stored, and what other precisions would make of it.

use std::path::Path;

use crate::cli::examine::Run;
use crate::columns::{Side, aligned};
use crate::estimate::{Amount, Estimate};
use crate::estimates::{Hold, of_model};
use crate::memory::weights::{Dtype, Quantization};
use crate::models::Catalog;
use crate::report::{self, Markup, Report, label};
use crate::surroundings::{LocalModel, Surroundings};
use crate::texts::{nearest, text};

/// The precisions that people choose from.
const OTHERS: [Hold; 4] = [
    Hold::In(Dtype::Float32),
    Hold::In(Dtype::BFloat16),
    Hold::Quantized(Quantization::Bnb8),
    Hold::Quantized(Quantization::Bnb4 { double: false }),
];

/// Models with fewer parameters than this are hardly ever quantized.
const WORTH_QUANTIZING: u64 = 1_000_000_000;

/// A model and its estimates.
pub struct Model {
    /// Its name, as it was given.
    pub name: String,
    /// What it needs as it is stored, then in the other precisions that differ from that.
    pub estimates: Vec<Estimate>,
    /// Whether it is a folder that holds no model.
    is_other_folder: bool,
}

impl Model {
    /// Estimates a model, with the settings of the current folder.
    pub fn new(name: &str, run: &Run<'_>) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        let lower = run.files.nearest(&folder).map(|file| file.settings.clone()).unwrap_or_default();
        let settings = run.command_line.clone().over(lower).finish();
        let mut surroundings: Surroundings = run.reader.around(&folder);
        run.reader.add_models(&mut surroundings, &[name.to_owned()], &folder);
        let mut estimates: Vec<Estimate> = Vec::new();
        for hold in std::iter::once(Hold::AsStored).chain(OTHERS) {
            let estimate = of_model(name, hold, &surroundings, &settings);
            let same = |other: &Estimate| precision(other) == precision(&estimate);
            let is_offered = !matches!(hold, Hold::Quantized(_)) || is_large(&estimate);
            if is_offered && !estimates.iter().any(same) {
                estimates.push(estimate);
            }
        }
        let is_absent = surroundings.models.get(name).is_none_or(|model| *model == LocalModel::Absent);
        Self { name: name.to_owned(), estimates, is_other_folder: is_absent && Path::new(name).is_dir() }
    }

    /// Why there is no number, with what may have been meant.
    pub fn error(&self) -> Option<String> {
        let why = self.estimates.first()?.amount.as_ref().err()?;
        if self.is_other_folder {
            return Some(text("estimate-folder-without-model", &[("target", &self.name)]));
        }
        let near = nearest(&self.name, Catalog::tables().models().map(|model| model.id));
        let near = near.map(|known| text("estimate-model-near", &[("known", &known)]));
        Some([Some(why.clone()), near].into_iter().flatten().collect::<Vec<_>>().join(" "))
    }

    /// The report of the model as it is stored, and a line for each other precision.
    pub fn report(&self) -> Option<String> {
        let (stored, others) = self.estimates.split_first()?;
        stored.amount.as_ref().ok()?;
        let mut report = Report::new(stored).write(Markup::Plain) + "\n";
        let rows: Vec<_> = others.iter().filter_map(|other| Some(row(other.amount.as_ref().ok()?))).collect();
        if !rows.is_empty() {
            report.extend(["\n", &text("estimate-other-precisions", &[]), "\n"]);
            let lines = aligned(&rows, [Side::Left, Side::Right, Side::Left]).into_iter();
            report.extend(lines.map(|line| format!("  {line}\n")));
        }
        Some(report)
    }
}

fn is_large(estimate: &Estimate) -> bool {
    let parameters = estimate.amount.as_ref().ok().and_then(|amount| amount.parameters);
    parameters.is_some_and(|parameters| parameters >= WORTH_QUANTIZING)
}

/// What the parts are held in.
fn precision(estimate: &Estimate) -> Option<Vec<&str>> {
    let amount = estimate.amount.as_ref().ok()?;
    Some(amount.parts.iter().map(|part| part.precision.as_str()).collect())
}

/// A precision, what it needs, and whether that fits the card, or the smallest that it fits.
fn row(amount: &Amount) -> [String; 3] {
    let mut precisions: Vec<&str> = amount.parts.iter().map(|part| part.precision.as_str()).collect();
    precisions.dedup();
    [precisions.join(", "), label(amount), report::verdict(amount).unwrap_or_default()]
}
