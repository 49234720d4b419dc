//! How large the outputs of models are, by their class.

use std::sync::LazyLock;

use crate::knowledge::effects::effects;
use crate::table::rows;

effects! {
    /// What a model's output is as large as.
    OutputSize {
        /// The vocabulary, for every token.
        Vocabulary = "vocabulary",
        /// The labels, for every pixel.
        Pixels = "pixels",
        /// A few labels, for every sample or token.
        Labels = "labels",
    }
}

static CLASSES: LazyLock<Vec<(&'static str, OutputSize)>> = LazyLock::new(|| {
    rows(include_str!("outputs.tsv"))
        .filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?)))
        .collect()
});

/// How large the output of a class is.
pub fn output_size(class: &str) -> Option<OutputSize> {
    let fits = |pattern: &str| {
        let (start, end) = pattern.split_once('*').unwrap_or((pattern, ""));
        class.starts_with(start) && class.ends_with(end)
    };
    CLASSES.iter().find(|(pattern, _)| fits(pattern)).map(|(_, size)| *size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_how_large() {
        let all: Vec<_> = rows(include_str!("outputs.tsv")).collect();
        assert_eq!(CLASSES.len(), all.len());
        assert!(all.iter().all(|row| row.get(2).is_some_and(|source| !source.is_empty())));
    }

    #[test]
    fn a_class_says_it_by_its_name() {
        assert_eq!(output_size("AutoModelForMaskedLM"), Some(OutputSize::Vocabulary));
        assert_eq!(output_size("SegformerForSemanticSegmentation"), Some(OutputSize::Pixels));
        assert_eq!(output_size("BertForSequenceClassification"), Some(OutputSize::Labels));
    }
}
