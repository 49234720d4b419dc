//! Training over several GPUs: `estimate` tells what each of them needs.
//!
//! GPT-2 has 124,439,808 parameters: 497,759,232 bytes in float32. What one GPU needs for the loop is counted in `runs.rs`;
//! the rest is worked out by hand beside each figure.

use serde_json::{Value, json};

use crate::runs;
use crate::support::Folder;

const PARAMETERS: u64 = 124_439_808;

const LOOP: &str = "\
model.train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
ids = torch.randint(0, 50257, (4, 512), device='cuda')
batch = dict(input_ids=ids, labels=ids)
for step in range(100):
    outputs = model(**batch)
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";

const TRAINER: &str = "\
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments

class Blocks(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, i):
        ids = torch.randint(0, 50257, (512,))
        return {'input_ids': ids, 'labels': ids}

args = TrainingArguments('out', per_device_train_batch_size=1, bf16=True, OPTIONS)
Trainer(model=model, args=args, train_dataset=Blocks()).train()
";

fn folder(lines: &str) -> Folder {
    runs::folder("torch==2.15.0\ntransformers==5.24.0\naccelerate==1.15.0\ndeepspeed==0.19.0\n", lines)
}

/// The estimate of the training in a script that loads GPT-2 and goes on with these lines.
fn training(lines: &str) -> Value {
    let estimates: Vec<Value> = folder(lines).run(&["estimate", "--output-format", "json", "run.py"]).json();
    estimates.into_iter().find(|estimate| estimate["kind"] == "train").unwrap()
}

fn bytes(estimate: &Value, kind: &str) -> u64 {
    estimate["bytes"][kind].as_u64().unwrap()
}

fn peak(estimate: &Value) -> u64 {
    let [low, peak, high] = ["low", "allocated_peak", "high"].map(|key| estimate[key].as_u64().unwrap());
    assert!(low <= peak && peak <= high, "{peak} is not in {low}..{high}");
    peak
}

fn assumption<'a>(estimate: &'a Value, what: &str) -> Option<&'a Value> {
    estimate["assumptions"].as_array().unwrap().iter().find(|one| one["what"] == what)
}

/// About the same: within two hundredths.
fn check(found: u64, by_hand: u64) {
    assert!(found.abs_diff(by_hand) <= by_hand / 50, "{found} is not {by_hand}");
}

fn trainer(options: &str) -> Value {
    training(&TRAINER.replace("OPTIONS", options))
}

fn zero(stage: u64, more: &str) -> Value {
    trainer(&format!(
        "deepspeed={{'bf16': {{'enabled': True}}, 'zero_optimization': {{'stage': {stage}, 'reduce_bucket_size': 0{more}}}}}"
    ))
}

#[test]
fn replicas_hold_buckets_of_all_gradients() {
    let alone = training(LOOP);
    assert_eq!(alone["per_gpu"], false);
    let wrapped = |arguments: &str| {
        let wraps = format!("model = torch.nn.parallel.DistributedDataParallel(model{arguments})\n");
        training(&(wraps + LOOP))
    };
    for arguments in ["", ", gradient_as_bucket_view=True"] {
        let each = wrapped(arguments);
        assert_eq!(each["per_gpu"], true);
        // The peak is at the start of the backward pass, before any gradient: the buckets come on top of it.
        check(peak(&each), peak(&alone) + 4 * PARAMETERS);
        assert_eq!(assumption(&each, "GPUs"), None, "as much on every GPU, however many there are");
    }
}

#[test]
fn a_network_for_pictures_is_told_with_replicas_only() {
    let script = |wraps: &str| {
        format!(
            "\
import torch
import torchvision
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.nn.parallel import DistributedDataParallel

model = torchvision.models.resnet50().to('cuda')
{wraps}optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
images = torch.randn(64, 3, 224, 224, device='cuda')
labels = torch.randint(0, 1000, (64,), device='cuda')
for step in range(100):
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"
        )
    };
    let trained = |wraps: &str| {
        let folder = Folder::new().file("run.py", script(wraps));
        let all: Vec<Value> = folder.run(&["estimate", "--output-format", "json", "run.py"]).json();
        all.into_iter().find(|estimate| estimate["kind"] == "train")
    };
    let alone = trained("").unwrap();
    let each = trained("model = DistributedDataParallel(model)\n").unwrap();
    assert_eq!(each["per_gpu"], true);
    check(peak(&each) - peak(&alone), 4 * 25_557_032);
    assert_eq!(trained("model = FullyShardedDataParallel(model)\n"), None);
}

/// A loop over a model that FSDP wraps with these further arguments.
fn wrapped_by_fsdp(gpus: u64, arguments: &str) -> Value {
    let lines = format!(
        "\
import torch.distributed as dist
from torch.distributed.fsdp import CPUOffload, FullyShardedDataParallel as FSDP, MixedPrecision, ShardingStrategy
dist.init_process_group('nccl', world_size={gpus}, rank=0)
model = FSDP(model{arguments})
"
    );
    training(&(lines + LOOP))
}

#[test]
fn fully_sharded_by_a_wrapper() {
    let each = wrapped_by_fsdp(8, "");
    assert_eq!(each["per_gpu"], true);
    assert_eq!(assumption(&each, "GPUs").unwrap()["value"], "8");
    // Weights and moments of 4 and 8 bytes a parameter in eight parts, and the embeddings (50,257 and 1,024 rows of 768)
    // while they are needed.
    check(bytes(&each, "optimizer"), PARAMETERS);
    check(bytes(&each, "weights"), PARAMETERS / 2 + (50_257 + 1_024) * 768 * 4);
    let offloaded = wrapped_by_fsdp(8, ", cpu_offload=CPUOffload(offload_params=True)");
    assert_eq!(bytes(&offloaded, "optimizer"), 0);
    let whole = wrapped_by_fsdp(8, ", sharding_strategy=ShardingStrategy.SHARD_GRAD_OP");
    check(bytes(&whole, "weights"), PARAMETERS / 2 + PARAMETERS * 4);
    // In 16 bit, half of what is brought together.
    let mixed =
        ", sharding_strategy=ShardingStrategy.SHARD_GRAD_OP, mixed_precision=MixedPrecision(torch.bfloat16)";
    check(bytes(&wrapped_by_fsdp(8, mixed), "weights"), PARAMETERS / 2 + PARAMETERS * 2);
    // A copy in each node of eight GPUs.
    let hybrid = wrapped_by_fsdp(16, ", sharding_strategy=ShardingStrategy.HYBRID_SHARD");
    assert_eq!(bytes(&hybrid, "optimizer"), bytes(&each, "optimizer"));
}

#[test]
fn an_unknown_number_of_gpus_widens_the_range_and_says_where_it_is_set() {
    let each = trainer("fsdp='full_shard auto_wrap'");
    assert_eq!(each["per_gpu"], true);
    let gpus = assumption(&each, "GPUs").unwrap();
    assert_eq!(gpus["value"], "4");
    assert!(gpus["why"].as_str().unwrap().contains("--nproc_per_node"), "{gpus}");
    assert_eq!(gpus["change_at"]["row"], 16);
    // Between the steps alone, 12 bytes a parameter in two parts or in eight.
    let [low, high] = ["low", "high"].map(|key| each[key].as_u64().unwrap());
    assert!(high - low >= PARAMETERS * 12 / 2 - PARAMETERS * 12 / 8);
    // With mixed precision, FSDP keeps float32 weights: 8 bytes of moments in four parts.
    check(bytes(&each, "optimizer"), PARAMETERS * 2);
}

#[test]
fn stages_of_zero_share_more_and_more() {
    // 12 bytes a parameter of moments and a float32 copy in four parts; 2 of weights, whole until stage 3.
    let [one, two, three] = [1, 2, 3].map(|stage| zero(stage, ""));
    for estimate in [&one, &two, &three] {
        assert_eq!(estimate["per_gpu"], true);
        check(bytes(estimate, "optimizer"), PARAMETERS * 3);
    }
    check(bytes(&one, "weights"), PARAMETERS * 2);
    assert!(bytes(&three, "weights") < bytes(&two, "weights"));
    assert!(peak(&three) < peak(&two) && peak(&two) <= peak(&one));
    let offloaded = zero(2, ", 'offload_optimizer': {'device': 'cpu'}");
    assert_eq!(bytes(&offloaded, "optimizer"), 0);
    let all = zero(3, ", 'offload_optimizer': {'device': 'cpu'}, 'offload_param': {'device': 'cpu'}");
    assert!(peak(&all) < peak(&zero(3, ", 'offload_optimizer': {'device': 'cpu'}")));
}

#[test]
fn plugins_of_accelerate() {
    let lines = "\
from accelerate import Accelerator, DeepSpeedPlugin
plugin = DeepSpeedPlugin(zero_stage=3, offload_optimizer_device='cpu')
accelerator = Accelerator(mixed_precision='bf16', deepspeed_plugin=plugin)
";
    let each = training(&format!("{lines}{LOOP}"));
    assert_eq!(each["per_gpu"], true);
    assert_eq!(bytes(&each, "optimizer"), 0);
    let alone = training(&format!("from accelerate import Accelerator\naccelerator = Accelerator()\n{LOOP}"));
    assert_eq!(alone["per_gpu"], false);
}

#[test]
fn an_engine_of_deepspeed() {
    let lines = "\
import deepspeed
config = {'bf16': {'enabled': True}, 'zero_optimization': {'stage': 1, 'reduce_bucket_size': 0}}
engine, optimizer, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
ids = torch.randint(0, 50257, (4, 512), device='cuda')
for step in range(100):
    loss = engine(input_ids=ids, labels=ids).loss
    engine.backward(loss)
    engine.step()
";
    let each = training(lines);
    assert_eq!(each["per_gpu"], true);
    check(bytes(&each, "weights"), PARAMETERS * 2);
    check(bytes(&each, "optimizer"), PARAMETERS * 3);
}

#[test]
fn strategies_of_lightning() {
    let fabric = |arguments: &str| {
        let lines = "\
import lightning
fabric = lightning.Fabric(ARGUMENTS)
optimizer = torch.optim.AdamW(model.parameters())
model, optimizer = fabric.setup(model, optimizer)
ids = torch.randint(0, 50257, (4, 512), device='cuda')
for step in range(100):
    loss = model(input_ids=ids, labels=ids).loss
    fabric.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
";
        training(&lines.replace("ARGUMENTS", arguments))
    };
    let alone = fabric("devices=1");
    assert_eq!(alone["per_gpu"], false);
    let replicas = fabric("devices=4");
    assert_eq!(replicas["per_gpu"], true);
    check(peak(&replicas), peak(&alone) + 4 * PARAMETERS);
    let shared = fabric("devices=4, num_nodes=2, strategy='fsdp'");
    assert_eq!(assumption(&shared, "GPUs").unwrap()["value"], "8");
    check(bytes(&shared, "optimizer"), PARAMETERS);
}

#[test]
fn a_configuration_that_is_not_known_may_be_any_stage() {
    let each = trainer("deepspeed=read()");
    let stage = assumption(&each, "ZeRO").unwrap();
    assert!(stage["why"].as_str().unwrap().contains("stages 1 to 3"), "{stage}");
    let [low, high] = ["low", "high"].map(|key| each[key].as_u64().unwrap());
    assert!(low < peak(&zero(3, "")) && high > peak(&zero(1, "")));
}

#[test]
fn a_configuration_in_a_file_beside_the_script() {
    let lines = TRAINER.replace("OPTIONS", "deepspeed='ds/zero.json'");
    let config = json!({
        "bf16": {"enabled": "auto"},
        "zero_optimization": {
            "stage": 3, "reduce_bucket_size": 0, "offload_optimizer": {"device": "none"}, "offload_param": {"device": "cpu"},
        },
    });
    let there = folder(&lines).file("ds/zero.json", config.to_string());
    let estimates: Vec<Value> = there.run(&["estimate", "--output-format", "json", "run.py"]).json();
    let each = estimates.into_iter().find(|estimate| estimate["kind"] == "train").unwrap();
    assert_eq!(assumption(&each, "ZeRO"), None);
    assert_eq!(peak(&each), peak(&zero(3, ", 'offload_param': {'device': 'cpu'}")));
    assert!(assumption(&training(&lines), "ZeRO").is_some(), "without the file, the stage is not known");
}

#[test]
fn texts_say_per_gpu() {
    let lines = TRAINER.replace("OPTIONS", "fsdp='full_shard'");
    let told = folder(&lines).run(&["estimate", "run.py"]).stdout;
    assert!(told.contains("of memory per GPU at the peak"), "{told}");
}
