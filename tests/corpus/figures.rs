//! Estimates held against figures worked out by hand.

use vramlens::estimate::{Amount, Estimate};
use vramlens::memory::Bytes;

use crate::folder::{Figure, Folder, Place};
use crate::judge::{Miss, distance};

/// Where a folder's estimates are not what was worked out by hand.
pub fn judge(folder: &Folder) -> Vec<Miss> {
    let miss = |figure: &Figure| {
        let estimates = estimates(folder, figure);
        wrong(nearest(&estimates, &figure.place), figure).map(|what| Miss::new(folder, &figure.place, what))
    };
    folder.labels.estimate.iter().filter_map(miss).collect()
}

fn estimates(folder: &Folder, figure: &Figure) -> Vec<(Place, Estimate)> {
    let input = folder.inputs.iter().find(|input| input.file == figure.place.file);
    input.map_or_else(Vec::new, |input| input.estimates(figure.gpu.as_deref()))
}

fn nearest<'a>(estimates: &'a [(Place, Estimate)], wanted: &Place) -> Option<&'a Estimate> {
    let near = estimates.iter().filter_map(|(place, estimate)| Some((distance(place, wanted)?, estimate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, estimate)| estimate)
}

/// What is wrong with an estimate.
fn wrong(estimate: Option<&Estimate>, figure: &Figure) -> Option<String> {
    match (estimate.map(|estimate| &estimate.amount), figure.gib) {
        (None, _) if figure.optional => None,
        (None, Some(gib)) => Some(format!("no estimate, and it is {gib} GiB")),
        (None | Some(Err(_)), None) => None,
        (Some(Err(why)), Some(gib)) => Some(format!("no number, and it is {gib} GiB: {why}")),
        (Some(Ok(amount)), None) => Some(format!("a number, and nobody can know: {}", describe(amount))),
        (Some(Ok(amount)), Some(gib)) => {
            (!is_right(amount, gib, figure)).then(|| format!("{gib} GiB: {}", describe(amount)))
        }
    }
}

/// Whether the weights are within the tolerance, or the figure in a range of at most a factor of two; where nothing
/// is left open, whether the whole range is within the tolerance.
fn is_right(amount: &Amount, gib: f64, figure: &Figure) -> bool {
    let near = |bytes: Bytes| (bytes.as_gib() - gib).abs() <= gib * figure.tolerance_pct / 100.0;
    let (low, high) = (amount.low.as_gib(), amount.high.as_gib());
    if figure.narrow {
        near(amount.bytes.weights) && near(amount.low) && near(amount.high)
    } else {
        near(amount.bytes.weights) || (low..=high).contains(&gib) && high <= 2.0 * low
    }
}

fn describe(amount: &Amount) -> String {
    let Amount { bytes, low, high, certainty, .. } = amount;
    format!("{} of weights, {low} to {high}, {certainty:?}", bytes.weights).to_lowercase()
}

#[cfg(test)]
mod tests {
    use vramlens::estimate::{Breakdown, Certainty, EstimateKind};
    use vramlens_grammars::{Location, Span};

    use super::*;

    fn estimate(weights: u64, low: u64, high: u64) -> Estimate {
        let bytes = Breakdown { weights: Bytes::mib(weights), ..Breakdown::default() };
        let amount = Amount {
            certainty: Certainty::Exact,
            parameters: None,
            bytes,
            allocated_peak: bytes.allocated(),
            reserved_peak: bytes.allocated(),
            low: Bytes::mib(low),
            high: Bytes::mib(high),
            parts: Vec::new(),
            per_gpu: false,
            cards: Vec::new(),
            levers: Vec::new(),
        };
        Estimate {
            location: Location { cell: None, span: Span::new(0, 1) },
            hover: Vec::new(),
            kind: EstimateKind::Load,
            model: None,
            model_source: None,
            amount: Ok(amount),
            assumptions: Vec::new(),
        }
    }

    fn figure(gib: Option<f64>) -> Figure {
        let place = Place { file: "a.py".to_owned(), cell: None, line: 1 };
        Figure { place, gib, tolerance_pct: 1.0, narrow: false, gpu: None, optional: false }
    }

    #[test]
    fn a_figure_is_met_within_the_tolerance_or_in_a_narrow_range() {
        let right =
            |weights, low, high| wrong(Some(&estimate(weights, low, high)), &figure(Some(2.0))).is_none();
        assert!(right(2060, 2060, 2060));
        assert!(!right(2100, 2100, 2100));
        assert!(right(3000, 2000, 4000));
        assert!(!right(3000, 1500, 4000));
    }

    #[test]
    fn a_narrow_figure_leaves_nothing_open() {
        let narrow = Figure { narrow: true, ..figure(Some(2.0)) };
        assert!(wrong(Some(&estimate(2060, 2040, 2060)), &narrow).is_none());
        assert!(wrong(Some(&estimate(2048, 2048, 4096)), &narrow).is_some());
    }

    #[test]
    fn what_nobody_can_know_has_no_number() {
        let unknown = Estimate { amount: Err("unknown".to_owned()), ..estimate(1, 1, 1) };
        assert_eq!(wrong(Some(&unknown), &figure(None)), None);
        assert!(wrong(Some(&unknown), &figure(Some(2.0))).is_some());
        assert!(wrong(Some(&estimate(1, 1, 1)), &figure(None)).is_some());
        assert!(wrong(None, &figure(Some(2.0))).is_some());
    }
}
