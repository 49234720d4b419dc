//! Counts the memory of the runs of a table and compares it with what was measured.
//!
//! `cargo run --example memory_table -- TABLE [--all]`: the table has a heading and the columns `id`, `task`, `family`,
//! `config_json`, `settings_json`, `params` and `cuda_allocated_sim_bytes` or `total_peak_bytes`.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::error::Error;

use serde_json::Value;
use vramlens::memory::replay::{Adapters, AttentionKernel, Trained};
use vramlens::memory::step::{Counted, Generation, Optimizer, Run, RunTask, Runner, Training, count};
use vramlens::memory::weights::Dtype;
use vramlens::models::local;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = arguments.iter().any(|argument| argument == "--all");
    let path = arguments.iter().find(|argument| !argument.starts_with("--")).ok_or("a table is needed")?;
    let table = std::fs::read_to_string(path)?;
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let mut errors: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    let mut time = std::time::Duration::ZERO;
    let (mut inside, mut widths) = (0, Vec::new());
    for line in lines {
        let row: BTreeMap<&str, &str> = columns.iter().copied().zip(line.split('\t')).collect();
        let cell = |name: &str| row.get(name).copied().unwrap_or_default();
        let key = (cell("task").to_owned(), cell("family").to_owned());
        let settings: Value = serde_json::from_str(cell("settings_json"))?;
        let config = configuration(serde_json::from_str(cell("config_json"))?, &settings);
        let Some(architecture) = local::architecture(&config) else { continue };
        let Some(run) = run(&settings, cell("task"), &config) else { continue };
        let start = std::time::Instant::now();
        let counted = count(&architecture, &run);
        time += start.elapsed();
        // A table without the allocator's figure has that of the tensors.
        let (wanted, got) = match cell("cuda_allocated_sim_bytes") {
            "" => (cell("total_peak_bytes"), counted.tensors),
            wanted => (wanted, counted.allocated),
        };
        let wanted: f64 = wanted.parse()?;
        let error = number(got.0) / wanted - 1.0;
        let (low, high) = (number(counted.low.0), number(counted.high.0));
        inside += usize::from(low <= wanted && wanted <= high);
        widths.push(high / low.max(1.0));
        if all || error.abs() > 0.015 {
            println!("{}", told(&row, &counted, error));
        }
        errors.entry(key).or_default().push(error);
    }
    for ((task, family), list) in &errors {
        println!("{task:>10} {family:<14} {}", summary(list));
    }
    widths.sort_by(f64::total_cmp);
    let width = widths.get(widths.len() / 2).copied().unwrap_or(1.0);
    println!(
        "{inside} of {} rows lie in their range; half of the ranges are no wider than {width:.2}",
        widths.len()
    );
    let list: Vec<f64> = errors.into_values().flatten().collect();
    println!("{:>25} {} in {time:?}", "all", summary(&list));
    Ok(())
}

/// The configuration as a `config.json` has it: with its class and its type of model.
fn configuration(mut config: Value, settings: &Value) -> Value {
    let masked = settings.get("task").and_then(Value::as_str) == Some("mlm");
    let class = config.get("model_class").and_then(Value::as_str).unwrap_or_default();
    let class = if masked { class.replace("SequenceClassification", "MaskedLM") } else { class.to_owned() };
    let named = config.get("config_class").and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = [
        ("GPT2Config", "gpt2"),
        ("LlamaConfig", "llama"),
        ("T5Config", "t5"),
        ("BertConfig", "bert"),
        ("ViTConfig", "vit"),
        ("DistilBertConfig", "distilbert"),
    ];
    let family = known.iter().find(|(class, _)| *class == named).map(|(_, family)| *family);
    if let Some(object) = config.as_object_mut() {
        object.insert("architectures".to_owned(), Value::Array(vec![class.into()]));
        if let Some(family) = family {
            object.entry("model_type").or_insert_with(|| family.into());
        }
    }
    config
}

fn run(settings: &Value, task: &str, config: &Value) -> Option<Run> {
    let word = |key: &str| settings.get(key).and_then(Value::as_str);
    let size = |key: &str| settings.get(key).and_then(Value::as_u64);
    let yes = |key: &str| settings.get(key).and_then(Value::as_bool) == Some(true);
    let kind = match task {
        "train" => RunTask::Train(training(settings, config)?),
        "forward" => RunTask::Forward,
        "generate" => RunTask::Generate(Generation {
            new: size("new")?,
            room: word("cache") == Some("static"),
            beams: 1,
            all_scores: word("logits") == Some("all"),
        }),
        _ => return None,
    };
    Some(Run {
        task: kind,
        dtype: Dtype::parse(word("dtype")?)?,
        quantized: None,
        autocast: word("autocast").and_then(Dtype::parse),
        batch: size("batch")?,
        length: size("seq").or_else(|| size("prompt")).unwrap_or(if word("task").is_none() { 77 } else { 0 }),
        target: size("tgt").unwrap_or(0),
        image: size("res"),
        kernel: if word("attn") == Some("eager") { AttentionKernel::Eager } else { AttentionKernel::Sdpa },
        padded: yes("padded"),
        // A forward pass keeps keys and values unless it is told not to.
        use_cache: settings.get("use_cache").map_or(task == "forward", |flag| flag.as_bool() == Some(true)),
    })
}

fn training(settings: &Value, config: &Value) -> Option<Training> {
    let word = |key: &str| settings.get(key).and_then(Value::as_str);
    let lora = settings.get("lora").filter(|lora| !lora.is_null());
    let adapters = lora.and_then(|lora| {
        let few = lora.get("targets").and_then(Value::as_str) != Some("all");
        let usual = match config.get("model_type").and_then(Value::as_str) {
            Some("gpt2") => vec!["c_attn"],
            Some("bert") => vec!["query", "value"],
            Some("t5") => vec!["q", "v"],
            _ => vec!["q_proj", "v_proj"],
        };
        let named = config.get("lora_targets").and_then(Value::as_array);
        let named = named.map(|list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        let targets = named.unwrap_or(usual).into_iter().map(str::to_owned).collect();
        let rank = lora.get("r")?.as_u64()?;
        Some(Adapters {
            rank,
            targets: few.then_some(targets),
            dropout: 0.05,
            dtype: Dtype::Float32,
            trains_head: false,
        })
    });
    Some(Training {
        trained: if adapters.is_some() { Trained::Adapters } else { Trained::All },
        adapters,
        optimizer: match word("optimizer")? {
            "adamw" => Optimizer::AdamW,
            "adamw-fused" => Optimizer::AdamWFused,
            "sgd" => Optimizer::Sgd,
            "sgd-momentum" => Optimizer::SgdMomentum,
            "adafactor" => Optimizer::Adafactor,
            "adamw8bit" => Optimizer::AdamW8Bit,
            _ => return None,
        },
        accumulation: settings.get("accum").and_then(Value::as_u64).unwrap_or(1),
        checkpointing: settings.get("ckpt").and_then(Value::as_bool) == Some(true),
        runner: if word("loop") == Some("trainer") { Runner::Trainer } else { Runner::Script },
    })
}

fn told(row: &BTreeMap<&str, &str>, counted: &Counted, error: f64) -> String {
    let cell = |name: &str| row.get(name).copied().unwrap_or_default();
    let parameters = cell("params").parse::<u64>().unwrap_or(0);
    let off = if parameters == counted.parameters { "" } else { " PARAMETERS DIFFER" };
    format!(
        "{} {} {:+.2}%{off} {:?} of {} ({}) {}",
        cell("id"),
        cell("model_id"),
        error * 100.0,
        counted.moment,
        cell("notes"),
        counted.parameters,
        cell("settings_json"),
    )
}

fn summary(errors: &[f64]) -> String {
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let at = |share: usize| {
        sizes.get((sizes.len().saturating_sub(1)) * share / 100).copied().unwrap_or(0.0) * 100.0
    };
    let count = sizes.len();
    format!("{count:>3} rows, median {:.2}%, 90 of 100 {:.2}%, worst {:.2}%", at(50), at(90), at(100))
}

#[allow(clippy::cast_precision_loss, reason = "shares are shown with two digits")]
const fn number(bytes: u64) -> f64 {
    bytes as f64
}
