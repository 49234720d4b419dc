//! Language models.

use super::{World, check};
use crate::estimate::Certainty;
use crate::memory::weights::Dtype;
use crate::models::{Component, FactSource, ModelFacts};

/// A language model of 8 billion parameters in a folder.
fn folder() -> ModelFacts {
    ModelFacts {
        name: "./llama".to_owned(),
        source: FactSource::Config("llama/config.json".into()),
        certainty: Certainty::Exact,
        disputed: None,
        components: vec![Component {
            class: "LlamaForCausalLM".to_owned(),
            parameters: 8_030_261_248,
            base_parameters: Some(7_504_924_672),
            unquantized: 1_050_939_392,
            stored: Some(Dtype::BFloat16),
            ..Component::default()
        }],
        uncounted: None,
    }
}

#[test]
fn the_default_type_follows_the_installed_version() {
    let script = |expected: &str| {
        format!(
            r#"
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("./llama").to("cuda")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ {expected}
"#
        )
    };
    check(&World::today().holding("./llama", folder()), &script("8.03B bfloat16 14.96 GiB"));
    check(&World::last_year().holding("./llama", folder()), &script("8.03B float32 29.92 GiB"));
    check(
        &World::unknown().holding("./llama", folder()),
        &script("8.03B bfloat16 or float32 14.96 GiB (14.88 GiB to 30.06 GiB)"),
    );
}
