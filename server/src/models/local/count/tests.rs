//! The formulas against counts that others published or that were made by building the class.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use serde_json::{Value, json};

use super::component;
use crate::models::Component;
use crate::models::local::config::Config;
use crate::table::rows;

fn counted(config: &Value) -> Option<Component> {
    component(Config::new(config))
}

#[test]
fn formulas_give_the_published_counts() {
    for row in rows(include_str!("cases.tsv")) {
        assert_eq!(row.len(), 5, "columns of {row:?}");
        assert!(row.get(4).is_some_and(|source| !source.is_empty()), "no source in {row:?}");
        let id = row.first().unwrap();
        let counted = counted(&serde_json::from_str(row.get(3).unwrap()).unwrap());
        let counted = counted.unwrap_or_else(|| panic!("{id} is not counted"));
        assert_eq!(counted.parameters, row.get(1).unwrap().parse::<u64>().unwrap(), "{id}");
        if let Ok(base) = row.get(2).unwrap().parse::<u64>() {
            assert_eq!(counted.base_parameters.unwrap_or(counted.parameters), base, "base of {id}");
        }
        assert!(counted.unquantized + counted.expert_parameters < counted.parameters, "{id}");
    }
}

fn llama() -> Value {
    json!({ "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 2, "hidden_size": 8,
        "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 10, "torch_dtype": "bfloat16" })
}

#[test]
fn what_quantization_leaves_alone_is_known() {
    let counted = counted(&llama()).unwrap();
    // Two embeddings, two norms a layer and the last one.
    assert_eq!(counted.unquantized, 2 * 10 * 8 + 5 * 8);
    assert_eq!(counted.parameters, counted.unquantized + 2 * (4 * 8 * 8 + 3 * 8 * 16));
    assert_eq!(counted.base_parameters, Some(counted.parameters - 10 * 8));
}

#[test]
fn experts_are_counted_apart() {
    let config = json!({ "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "num_hidden_layers": 2,
        "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 10, "num_local_experts": 4 });
    assert_eq!(counted(&config).unwrap().expert_parameters, 2 * 4 * 3 * 8 * 16);
}

#[test]
fn what_no_formula_covers_is_not_counted() {
    let changed = |key: &str, value: Value| {
        let mut config = llama();
        config.as_object_mut().unwrap().insert(key.to_owned(), value);
        counted(&config)
    };
    assert!(changed("model_type", json!("llama4")).is_none());
    assert!(changed("architectures", json!(["LlamaForSomethingElse"])).is_none());
    assert!(changed("hidden_size", json!(null)).is_none());
    assert!(changed("vocab_size", json!("many")).is_none());
    assert!(counted(&json!({ "model_type": "llama" })).is_none());
    assert!(counted(&json!([])).is_none());
}

#[test]
fn numbers_that_no_model_has_do_not_overflow() {
    let mut config = llama();
    for key in ["num_hidden_layers", "hidden_size", "intermediate_size", "vocab_size", "num_attention_heads"]
    {
        config.as_object_mut().unwrap().insert(key.to_owned(), json!(u32::MAX));
    }
    assert_eq!(counted(&config).unwrap().parameters, u64::MAX);
    config.as_object_mut().unwrap().insert("num_attention_heads".to_owned(), json!(0));
    assert!(counted(&config).is_some());
}
