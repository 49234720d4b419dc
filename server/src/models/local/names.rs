//! What a tensor is, by its name.

use std::sync::LazyLock;

use crate::table::{Row, rows};

/// What a tensor of a checkpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any parameter that is none of the others.
    Plain,
    /// A buffer.
    Buffer,
    /// Several parameters in one element.
    Packed,
    /// What a quantization keeps beside its weights.
    Scale,
    /// The output embedding.
    Head,
    /// An input embedding.
    Embedding,
    /// A routed expert of a mixture.
    Expert,
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    rows(include_str!("../tables/tensor_names.tsv")).filter_map(|row| pattern(&row)).collect()
});

#[derive(Clone, Copy, Debug)]
struct Pattern {
    at_end: bool,
    text: &'static str,
    kind: Kind,
}

impl Kind {
    /// What the tensor with this name is.
    pub fn of(name: &str) -> Self {
        let fits = |pattern: &&Pattern| {
            if pattern.at_end { name.ends_with(pattern.text) } else { name.contains(pattern.text) }
        };
        PATTERNS.iter().find(fits).map_or(Self::Plain, |pattern| pattern.kind)
    }
}

fn pattern(row: &Row) -> Option<Pattern> {
    let at_end = match row.first()? {
        "end" => true,
        "in" => false,
        _ => return None,
    };
    let kind = match row.get(2)? {
        "buffer" => Kind::Buffer,
        "packed" => Kind::Packed,
        "scale" => Kind::Scale,
        "head" => Kind::Head,
        "embedding" => Kind::Embedding,
        "expert" => Kind::Expert,
        _ => return None,
    };
    Some(Pattern { at_end, text: row.get(1)?, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_loads() {
        let mut seen = std::collections::BTreeSet::new();
        for row in rows(include_str!("../tables/tensor_names.tsv")) {
            assert_eq!(row.len(), 4, "columns of {row:?}");
            assert!(row.columns().all(|column| !column.is_empty()), "an empty column in {row:?}");
            assert!(pattern(&row).is_some(), "{row:?}");
            assert!(seen.insert(row.get(1)), "a second row for {row:?}");
        }
    }

    #[test]
    fn names_tell_what_a_tensor_is() {
        assert_eq!(Kind::of("model.layers.0.self_attn.q_proj.weight"), Kind::Plain);
        assert_eq!(Kind::of("transformer.h.0.attn.c_attn.bias"), Kind::Plain);
        assert_eq!(Kind::of("transformer.h.0.attn.bias"), Kind::Buffer);
        assert_eq!(Kind::of("model.layers.0.self_attn.q_proj.qweight"), Kind::Packed);
        assert_eq!(Kind::of("model.layers.0.mlp.experts.3.w1.weight"), Kind::Expert);
        assert_eq!(Kind::of("model.layers.0.mlp.experts.gate_up_proj_scales"), Kind::Scale);
        assert_eq!(Kind::of("lm_head.weight"), Kind::Head);
        assert_eq!(Kind::of("model.embed_tokens.weight"), Kind::Embedding);
    }
}
