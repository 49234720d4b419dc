//! Runs of public models against what was measured of them.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "tests may fail, and shares are shown roughly"
)]

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::memory::replay::{Adapters, AttentionKernel, Trained};
use crate::memory::step::{Counted, Generation, Optimizer, Run, RunTask, Runner, Training, count};
use crate::memory::transformers::Family;
use crate::memory::weights::Dtype;
use crate::models::local;
use crate::table::rows;

/// Reads a run of the table.
fn run(value: &Value) -> Run {
    let size = |key: &str| value.get(key).and_then(Value::as_u64);
    let yes = |key: &str| value.get(key) == Some(&Value::Bool(true));
    let word = |key: &str| value.get(key).and_then(Value::as_str);
    let task = match word("task").unwrap() {
        "train" => RunTask::Train(training(value)),
        "generate" => RunTask::Generate(Generation {
            new: size("new").unwrap(),
            room: yes("room"),
            beams: 1,
            all_scores: false,
        }),
        _ => RunTask::Forward,
    };
    Run {
        task,
        dtype: Dtype::parse(word("dtype").unwrap()).unwrap(),
        quantized: None,
        autocast: word("autocast").and_then(Dtype::parse),
        batch: size("batch").unwrap(),
        length: size("length").unwrap_or(0),
        target: size("target").unwrap_or(0),
        image: size("image"),
        kernel: if yes("eager") { AttentionKernel::Eager } else { AttentionKernel::Sdpa },
        padded: yes("padded"),
        use_cache: yes("cache"),
    }
}

fn training(value: &Value) -> Training {
    let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap();
    let targets = value.get("targets").and_then(Value::as_array);
    let targets = targets.map(|list| list.iter().map(|name| name.as_str().unwrap().to_owned()));
    let adapters = value.get("rank").and_then(Value::as_u64).map(|rank| Adapters {
        rank,
        targets: targets.map(Iterator::collect::<Vec<_>>).filter(|list| !list.is_empty()),
        dropout: 0.05,
        dtype: Dtype::Float32,
        trains_head: false,
    });
    Training {
        trained: if adapters.is_some() { Trained::Adapters } else { Trained::All },
        adapters,
        optimizer: match word("optimizer") {
            "adamw" => Optimizer::AdamW,
            "adamw-fused" => Optimizer::AdamWFused,
            "adamw8bit" => Optimizer::AdamW8Bit,
            "adafactor" => Optimizer::Adafactor,
            other => panic!("an optimizer that no row has: {other}"),
        },
        accumulation: value.get("accumulation").and_then(Value::as_u64).unwrap(),
        checkpointing: value.get("checkpointing") == Some(&Value::Bool(true)),
        runner: if word("runner") == "trainer" { Runner::Trainer } else { Runner::Script },
    }
}

fn counted(config: &Value, described: &Value) -> Counted {
    let architecture = local::architecture(config).unwrap_or_else(|| panic!("not known: {config}"));
    count(&architecture, &run(described))
}

#[test]
fn runs_take_what_was_measured() {
    for row in rows(include_str!("measured.tsv")) {
        assert_eq!(row.len(), 5, "columns of {row:?}");
        let parsed = |column: usize| serde_json::from_str::<Value>(row.get(column).unwrap()).unwrap();
        let (config, described) = (parsed(1), parsed(2));
        let counted = counted(&config, &described);
        let measured: u64 = row.get(3).unwrap().parse().unwrap();
        let share = counted.allocated.0 as f64 / measured as f64;
        assert!(
            (share - 1.0).abs() < 0.01,
            "{} {described}: {share:.4} of what was measured",
            row.first().unwrap()
        );
        assert!(counted.low.0 <= measured && measured <= counted.high.0, "{described} is out of its range");
    }
}

#[test]
fn as_many_parameters_are_used_as_are_counted() {
    // The second count is made by formulas of their own.
    for row in rows(include_str!("../count/cases.tsv")) {
        let config: Value = serde_json::from_str(row.get(3).unwrap()).unwrap();
        let Some(architecture) = local::architecture(&config).filter(|architecture| !architecture.guessed)
        else {
            continue;
        };
        // A T5 with an output head of its own keeps it only if its checkpoint has one, which a configuration cannot tell.
        let own_head = config.get("tie_word_embeddings") == Some(&Value::Bool(false));
        if own_head && matches!(architecture.family, Family::RelativePair(_)) {
            continue;
        }
        let described =
            json!({ "task": "forward", "batch": 1, "dtype": "float16", "length": 1, "target": 1 });
        let counted = count(&architecture, &run(&described)).parameters;
        let known: u64 = row.get(1).unwrap().parse().unwrap();
        let off = (counted as f64 / known as f64 - 1.0).abs();
        assert!(off < 1e-6, "{}: {counted} of {known}", row.first().unwrap());
    }
}

/// A small model of a family.
fn small(family: usize) -> Value {
    let heads = json!({ "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96,
        "vocab_size": 128 });
    let (kind, class) = [
        ("llama", "LlamaForCausalLM"),
        ("qwen3", "Qwen3ForCausalLM"),
        ("gemma2", "Gemma2ForCausalLM"),
        ("gpt_neox", "GPTNeoXForCausalLM"),
        ("phi3", "Phi3ForCausalLM"),
        ("mixtral", "MixtralForCausalLM"),
        ("bert", "BertForMaskedLM"),
        ("roberta", "RobertaForSequenceClassification"),
    ]
    .get(family)
    .copied()
    .unwrap();
    let mut config = heads;
    let object = config.as_object_mut().unwrap();
    object.insert("model_type".to_owned(), kind.into());
    object.insert("architectures".to_owned(), json!([class]));
    config
}

fn with(value: &Value, key: &str, new: Value) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().insert(key.to_owned(), new);
    value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn more_never_takes_less(
        family in 0_usize..8,
        (batch, length) in (1_u64..5, 1_u64..70),
        (checkpointing, eager, padded) in any::<(bool, bool, bool)>(),
        (more_batch, more_length, more_layers) in (0_u64..4, 0_u64..70, 0_u64..3),
    ) {
        let config = small(family);
        let start = json!({ "task": "train", "batch": batch, "length": length, "dtype": "bfloat16", "cache": true,
            "optimizer": "adamw", "accumulation": 1, "runner": "script", "checkpointing": checkpointing, "eager": eager,
            "padded": padded });
        let tensors = |config: &Value, run: &Value| counted(config, run).tensors.0;
        let before = tensors(&config, &start);
        let longer = tensors(&config, &with(&start, "length", json!(length + more_length)));
        prop_assert!(longer >= before, "length");
        prop_assert!(tensors(&config, &with(&start, "batch", json!(batch + more_batch))) >= before, "batch");
        prop_assert!(tensors(&config, &with(&start, "dtype", json!("float32"))) >= before, "precision");
        let deeper = with(&config, "num_hidden_layers", json!(2 + more_layers));
        prop_assert!(tensors(&deeper, &start) >= before, "layers");
    }
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let config = with(&small(0), "hidden_size", json!(u32::MAX));
    let described = json!({ "task": "forward", "batch": u32::MAX, "dtype": "float32", "length": u32::MAX });
    assert_eq!(counted(&config, &described).parameters, u64::MAX);
}

#[test]
fn a_family_that_is_not_known_is_taken_for_the_usual_one_with_a_wider_range() {
    let described = json!({ "task": "forward", "batch": 1, "dtype": "bfloat16", "length": 64 });
    let known = counted(&small(0), &described);
    let unknown = with(&with(&small(0), "model_type", json!("new")), "hidden_act", json!("silu"));
    let unknown = counted(&unknown, &described);
    assert!(unknown.high.0 - unknown.low.0 > known.high.0 - known.low.0);
    // Nor is what no computer could hold.
    assert!(local::architecture(&with(&small(0), "num_hidden_layers", json!(100_000))).is_none());
    // What is no decoder, or one whose layers are no attention, is not guessed.
    for (key, value) in
        [("architectures", json!(["NewForDetection"])), ("ssm_cfg", json!({})), ("kv_lora_rank", json!(8))]
    {
        let config = with(&with(&small(0), "model_type", json!("new")), key, value);
        assert!(local::architecture(&config).is_none(), "{key}");
    }
}
