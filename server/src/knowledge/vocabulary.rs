//! Words that tell of logits over a vocabulary.

use std::sync::LazyLock;

use crate::knowledge::effects::effects;
use crate::table::rows;

effects! {
    /// What a word says of logits over a vocabulary.
    VocabularyWord {
        /// A name with it counts the words of a vocabulary.
        Counts = "counts",
        /// A module of this name computes a loss without ever having all logits.
        FusesLoss = "fuses-loss",
        /// An argument of this name lets a model return the logits of a few tokens only.
        KeepsFew = "keeps-few",
        /// An argument of this name is the number of sequences in a batch.
        Batch = "batch",
        /// An argument of this name is the number of tokens in a sequence.
        Length = "length",
    }
}

static WORDS: LazyLock<Vec<(&'static str, VocabularyWord)>> = LazyLock::new(|| {
    rows(include_str!("vocabulary.tsv"))
        .filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?)))
        .collect()
});

/// The words that say this.
pub fn words(says: VocabularyWord) -> impl Iterator<Item = &'static str> {
    WORDS.iter().filter(move |(_, said)| *said == says).map(|(word, _)| *word)
}

/// Whether a name counts the words of a vocabulary.
pub fn counts_vocabulary(name: &str) -> bool {
    let name = name.to_lowercase();
    words(VocabularyWord::Counts).any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_something() {
        let all: Vec<_> = rows(include_str!("vocabulary.tsv")).collect();
        assert_eq!(WORDS.len(), all.len());
        assert!(all.iter().all(|row| row.get(2).is_some_and(|source| !source.is_empty())));
    }

    #[test]
    fn a_name_counts_a_vocabulary_by_a_part_of_it() {
        assert!(counts_vocabulary("vocab_size"));
        assert!(counts_vocabulary("VOCAB"));
        assert!(!counts_vocabulary("num_classes"));
    }
}
