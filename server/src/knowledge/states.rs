//! What the states of recurrent networks are.

use std::sync::LazyLock;

use crate::knowledge::effects::effects;
use crate::table::rows;

effects! {
    /// What a state is.
    State {
        /// One tensor.
        Tensor = "tensor",
        /// A tuple of tensors.
        Tuple = "tuple",
    }
}

static STATES: LazyLock<Vec<(&'static str, State)>> = LazyLock::new(|| {
    rows(include_str!("states.tsv"))
        .filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?)))
        .collect()
});

/// What the state of a network of this class is.
pub fn state_of(class: &str) -> Option<State> {
    STATES.iter().find(|(known, _)| *known == class).map(|(_, state)| *state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_what_it_is() {
        let all: Vec<_> = rows(include_str!("states.tsv")).collect();
        assert_eq!(STATES.len(), all.len());
        assert!(all.iter().all(|row| row.get(2).is_some_and(|source| !source.is_empty())));
        assert_eq!(state_of("torch.nn.LSTM"), Some(State::Tuple));
    }
}
