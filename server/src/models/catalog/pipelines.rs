//! The table of diffusion pipelines and of the models that are used with them: a row a component.

use super::{DIFFUSION, certainty};
use crate::estimate::Certainty;
use crate::memory::weights::Dtype;
use crate::models::{Component, FactSource, ModelFacts};
use crate::table::Record;

/// The id of every pipeline with its first row and the number of its rows.
pub(super) fn places() -> impl Iterator<Item = (&'static str, usize, usize)> {
    let ids: Vec<&'static str> = DIFFUSION.keys().collect();
    let mut first = 0;
    let mut places = Vec::new();
    for rows in ids.chunk_by(|left, right| left == right) {
        places.extend(rows.first().map(|id| (*id, first, rows.len())));
        first += rows.len();
    }
    places.into_iter()
}

/// What the rows of a pipeline say.
pub(super) fn facts(first: usize, rows: usize) -> Option<ModelFacts> {
    let records: Vec<Record> = (first..first + rows).filter_map(|row| DIFFUSION.record(row)).collect();
    let id = records.first()?.value("id")?;
    let (certainty, verified) =
        records.iter().filter_map(verification).max_by_key(|(certainty, _)| *certainty)?;
    let uncounted = records.iter().find_map(|record| record.value("uncounted"));
    Some(ModelFacts {
        name: id.to_owned(),
        source: FactSource::Catalog { id: id.to_owned(), verified, resolved: None },
        certainty,
        disputed: None,
        components: records.iter().map(component).collect::<Option<_>>()?,
        uncounted: uncounted.map(str::to_owned),
        adapts: None,
    })
}

fn verification(record: &Record) -> Option<(Certainty, &'static str)> {
    let verified = record.value("verified")?;
    Some((certainty(verified, None), verified))
}

fn component(record: &Record) -> Option<Component> {
    Some(Component {
        name: record.value("component").unwrap_or_default().to_owned(),
        class: record.value("class")?.to_owned(),
        parameters: record.number("parameters")?,
        buffers: record.number("buffers")?,
        unquantized: record.number("unquantized").unwrap_or_default(),
        float32_in_float16: record.number("float32_in_float16").unwrap_or_default(),
        stored: Dtype::parse(record.value("stored")?),
        ..Component::default()
    })
}
