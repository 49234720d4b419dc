//! The peak of training, generation and forward passes: `estimate` on scripts with a model's configuration beside them.
//!
//! The figures are what the real model code needs, counted tensor by tensor on tensors without data (torch 2.15,
//! transformers 5.24): what `torch.cuda.max_memory_allocated()` would say.

use serde_json::{Value, json};

use crate::support::Folder;

const VERSIONS: &str = "torch==2.15.0\ntransformers==5.24.0\npeft==0.21.2\naccelerate==1.15.0\n";

/// The configuration of GPT-2, as a model's folder has it.
fn gpt2() -> Value {
    json!({
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024,
        "n_embd": 768, "n_layer": 12, "n_head": 12,
    })
}

/// The beginning of a script that loads it.
const LOADS: &str = "\
import torch
from transformers import GPT2LMHeadModel

model = GPT2LMHeadModel.from_pretrained('./model', dtype=torch.float32).to('cuda')
";

const LOOP: &str = "\
model.train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
ids = torch.randint(0, 50257, (4, 512), device='cuda')
batch = dict(input_ids=ids, labels=ids)
for step in range(100):
    outputs = model(**batch)
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";

/// A script that loads GPT-2 and goes on with these lines, in a folder with these versions of libraries.
pub fn folder(versions: &str, lines: &str) -> Folder {
    Folder::new()
        .file("requirements.txt", versions)
        .file("model/config.json", gpt2().to_string())
        .file("run.py", format!("{LOADS}{lines}"))
}

/// The largest estimate of a script that loads GPT-2 and goes on with these lines.
fn largest(lines: &str) -> Value {
    let all: Vec<Value> =
        folder(VERSIONS, lines).run(&["estimate", "--output-format", "json", "run.py"]).json();
    all.iter().max_by_key(|estimate| estimate["allocated_peak"].as_u64()).unwrap().clone()
}

/// Checks the peak against what was counted.
fn check(estimate: &Value, kind: &str, counted: u64) {
    let [peak, low, high] = ["allocated_peak", "low", "high"].map(|key| estimate[key].as_u64().unwrap());
    assert_eq!(estimate["kind"], kind);
    assert!(peak.abs_diff(counted) < counted / 100, "{peak} is not {counted}");
    assert!(low <= counted && counted <= high, "{counted} is not in {low}..{high}");
}

#[test]
fn a_loop_of_the_scripts_own() {
    let estimate = largest(LOOP);
    check(&estimate, "train", 5_470_128_128);
    assert_eq!(estimate["location"], json!({"row": 10, "column": 15}));
    let bytes = &estimate["bytes"];
    let parts = ["weights", "gradients", "optimizer", "activations", "logits", "kv_cache", "overhead"];
    let sum: u64 = parts.iter().map(|part| bytes[part].as_u64().unwrap()).sum();
    assert_eq!(bytes["total"].as_u64(), Some(sum));
    let counted = ["batch", "length"].map(|what| {
        let assumptions = estimate["assumptions"].as_array().unwrap();
        assumptions.iter().find(|one| one["what"] == what).unwrap()["value"].clone()
    });
    assert_eq!(counted, [json!("4"), json!("512")]);
}

#[test]
fn what_a_script_changes_changes_the_peak() {
    let peak = |lines: &str| largest(lines)["allocated_peak"].as_u64().unwrap();
    let plain = peak(LOOP);
    let checkpointed = LOOP.replace("model.train()", "model.gradient_checkpointing_enable()");
    let small = LOOP.replace("torch.optim.AdamW", "torch.optim.SGD");
    let let_go = LOOP
        .replace("outputs = model(**batch)", "loss = model(**batch).loss")
        .replace("outputs.loss.backward()", "loss.backward()");
    let halved = LOOP.replace("(4, 512)", "(2, 512)");
    for (name, lines) in [
        ("gradient checkpointing", checkpointed),
        ("an optimizer without states", small),
        ("outputs that are let go of", let_go),
        ("half the batch", halved),
    ] {
        assert!(peak(&lines) < plain, "{name}");
    }
    let longer = LOOP.replace("(4, 512)", "(4, 1024)");
    assert!(peak(&longer) > plain);
}

#[test]
fn a_generation() {
    let lines = "\
model.eval()
ids = torch.randint(0, 50257, (1, 128), device='cuda')
model.generate(ids, max_new_tokens=128, do_sample=False)
";
    let estimate = largest(lines);
    assert_eq!(estimate["kind"], "generate");
    assert!(estimate["bytes"]["kv_cache"].as_u64().unwrap() > 0);
}

#[test]
fn a_trainer() {
    let lines = "\
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments

class Blocks(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, i):
        ids = torch.randint(0, 50257, (512,))
        return {'input_ids': ids, 'labels': ids}

args = TrainingArguments('out', per_device_train_batch_size=4, bf16=True, max_steps=100)
Trainer(model=model, args=args, train_dataset=Blocks()).train()
";
    let estimate = largest(lines);
    assert_eq!(estimate["kind"], "train");
    let eight = largest(&lines.replace("train_batch_size=4", "train_batch_size=8"));
    assert!(eight["allocated_peak"].as_u64() > estimate["allocated_peak"].as_u64());
}

#[test]
fn a_network_for_pictures() {
    let script = "\
import torch
import torchvision

model = torchvision.models.resnet50().to('cuda')
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
images = torch.randn(64, 3, 224, 224, device='cuda')
labels = torch.randint(0, 1000, (64,), device='cuda')
for step in range(100):
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";
    let folder = Folder::new().file("run.py", script);
    let estimates = folder.run(&["estimate", "--output-format", "json", "run.py"]).json();
    let all: Vec<Value> = estimates;
    let trained = all.iter().find(|estimate| estimate["kind"] == "train").unwrap();
    let counted = 5_797_000_000_u64;
    let peak = trained["allocated_peak"].as_u64().unwrap();
    assert!(peak.abs_diff(counted) < counted / 20, "{peak}");
}

#[test]
fn nothing_is_made_up_where_the_text_does_not_say_how_much() {
    let lines = LOOP.replace("torch.randint(0, 50257, (4, 512), device='cuda')", "read()");
    assert_eq!(largest(&lines)["kind"], "load");
}
