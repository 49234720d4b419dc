//! Models as files: what they say.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

mod hostile;

use std::fs;

use serde_json::{Value, json};

use super::{ReadError, read};
use crate::estimate::Certainty;
use crate::memory::Bytes;
use crate::memory::weights::{Dtype, Method, Quantization};
use crate::models::{Component, FactSource, ModelFacts};

/// A folder to put a model into.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn json(self, name: &str, content: &Value) -> Self {
        self.file(name, content.to_string().as_bytes())
    }

    fn file(self, name: &str, content: &[u8]) -> Self {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// A file of tensors, whose data is there but holds nothing.
    fn tensors(self, name: &str, tensors: &[(&str, &str, &[u64])]) -> Self {
        let (header, data) = header(tensors);
        let folder = self.file(name, &with_length(&header));
        let path = folder.0.path().join(name);
        let length = fs::metadata(&path).unwrap().len() + data;
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
        folder
    }

    fn read(&self) -> Result<Option<ModelFacts>, ReadError> {
        read(self.0.path(), "mine")
    }

    fn facts(&self) -> ModelFacts {
        self.read().unwrap().unwrap()
    }

    fn component(&self) -> Component {
        let facts = self.facts();
        assert_eq!(facts.components.len(), 1);
        facts.components.into_iter().next().unwrap()
    }

    /// The sentence of the error, which names the file.
    fn broken(&self, file: &str) -> String {
        match self.read() {
            Err(ReadError::Broken(sentence)) => {
                let path = self.0.path().join(file).display().to_string();
                assert!(sentence.contains(&path), "{sentence}");
                sentence
            }
            other => panic!("not broken: {other:?}"),
        }
    }
}

/// A header that places tensors one after the other, and the bytes of their data.
fn header(tensors: &[(&str, &str, &[u64])]) -> (String, u64) {
    let mut end = 0;
    let mut header = json!({ "__metadata__": { "format": "pt" } });
    for (name, dtype, shape) in tensors {
        let start = end;
        end += Dtype::parse(dtype).unwrap().of(shape.iter().product()).0;
        let tensor = json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, end] });
        header.as_object_mut().unwrap().insert((*name).to_owned(), tensor);
    }
    (header.to_string(), end)
}

fn with_length(header: &str) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat()
}

const LLAMA: &[(&str, &str, &[u64])] = &[
    ("model.embed_tokens.weight", "BF16", &[10, 8]),
    ("model.layers.0.self_attn.q_proj.weight", "BF16", &[8, 8]),
    ("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", &[2]),
    ("model.layers.0.input_layernorm.weight", "BF16", &[8]),
    ("lm_head.weight", "BF16", &[10, 8]),
];

#[test]
fn headers_give_exact_bytes_and_counts() {
    let config = json!({ "architectures": ["NewForCausalLM"], "model_type": "new" });
    let folder = Folder::new().json("config.json", &config).tensors("model.safetensors", LLAMA);
    let facts = folder.facts();
    assert_eq!((facts.name.as_str(), facts.certainty), ("mine", Certainty::Exact));
    assert_eq!(facts.source, FactSource::Files(folder.0.path().to_owned()));
    let component = folder.component();
    assert_eq!(component.class, "NewForCausalLM");
    assert_eq!(component.parameters, 80 + 64 + 8 + 80);
    assert_eq!(component.unquantized, 80 + 8 + 80);
    assert_eq!(component.buffers, 2);
    assert_eq!(component.stored, Some(Dtype::BFloat16));
    assert_eq!(component.stored_bytes, Some(Bytes(2 * 232 + 4 * 2)));
}

#[test]
fn a_tied_head_that_is_stored_twice_is_loaded_once() {
    let config = json!({ "architectures": ["NewForCausalLM"], "tie_word_embeddings": true });
    let folder = Folder::new().json("config.json", &config).tensors("model.safetensors", LLAMA);
    assert_eq!(folder.component().parameters, 80 + 64 + 8);
    assert_eq!(folder.component().stored_bytes, Some(Bytes(2 * 152 + 4 * 2)));
}

#[test]
fn one_file_is_a_model_of_its_own() {
    let folder = Folder::new().tensors("any.safetensors", LLAMA).file("model.bin", b"x");
    let facts = read(&folder.0.path().join("any.safetensors"), "any").unwrap().unwrap();
    assert_eq!(facts.parameters(), 232);
    assert_eq!(read(&folder.0.path().join("model.bin"), "bin"), Ok(None));
}

#[test]
fn shards_are_added_up_with_an_index_and_without() {
    let (first, second) = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors");
    let shards = || {
        Folder::new()
            .tensors(first, &[("a.weight", "F16", &[4, 4])])
            .tensors(second, &[("b.weight", "F16", &[4, 4]), ("c.weight", "F32", &[3])])
    };
    assert_eq!(shards().component().stored_bytes, Some(Bytes(2 * 32 + 12)));
    let index = json!({ "metadata": { "total_size": 1 }, "weight_map": { "a.weight": first } });
    let indexed = shards().json("model.safetensors.index.json", &index);
    assert_eq!(indexed.component().stored_bytes, Some(Bytes(32)));
}

#[test]
fn a_variant_counts_when_there_is_no_plain_form() {
    let half = Folder::new().tensors("model.fp16.safetensors", &[("a.weight", "F16", &[4, 4])]);
    assert_eq!(half.component().stored, Some(Dtype::Float16));
    let index = json!({ "weight_map": { "a.weight": "model.fp16-00001-of-00001.safetensors" } });
    let shards = Folder::new()
        .tensors("model.fp16-00001-of-00001.safetensors", &[("a.weight", "F16", &[4, 4])])
        .json("model.safetensors.index.fp16.json", &index);
    assert_eq!(shards.component().parameters, 16);
    let both = half.tensors("model.safetensors", &[("a.weight", "F32", &[4, 4])]);
    assert_eq!(both.component().stored, Some(Dtype::Float32));
}

#[test]
fn an_index_leads_nowhere_else() {
    for file in ["../other.safetensors", "/etc/passwd", "a/b.safetensors", "model.bin"] {
        let index = json!({ "weight_map": { "a": file } });
        let sentence =
            Folder::new().json("model.safetensors.index.json", &index).broken("model.safetensors.index.json");
        assert!(sentence.contains("beside it"), "{sentence}");
    }
    let index = json!({ "weight_map": { "a": "model-1-of-1.safetensors" } });
    let missing = Folder::new().json("model.safetensors.index.json", &index).read();
    assert!(
        matches!(missing, Err(ReadError::Missing(sentence)) if sentence.contains("model-1-of-1.safetensors"))
    );
}

#[test]
fn packed_weights_give_bytes_and_the_configuration_the_count() {
    let quantization = json!({ "quant_method": "gptq", "bits": 4, "group_size": 128 });
    let mut config = json!({ "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 1,
        "hidden_size": 128, "num_attention_heads": 2, "intermediate_size": 256, "vocab_size": 10,
        "quantization_config": quantization, "torch_dtype": "float16" });
    let tensors: &[(&str, &str, &[u64])] = &[
        ("model.embed_tokens.weight", "F16", &[10, 128]),
        ("model.layers.0.self_attn.q_proj.qweight", "I32", &[16, 128]),
        ("model.layers.0.self_attn.q_proj.scales", "F16", &[1, 128]),
        ("model.layers.0.self_attn.q_proj.g_idx", "I32", &[128]),
    ];
    let folder = Folder::new().json("config.json", &config).tensors("model.safetensors", tensors);
    let component = folder.component();
    assert_eq!(
        component.quantized,
        Some(Quantization::Grouped { method: Method::Gptq, bits: 4, group: 128 })
    );
    assert_eq!(component.stored, Some(Dtype::Float16));
    assert_eq!(component.parameters, 2 * 10 * 128 + 4 * 128 * 128 + 3 * 128 * 256 + 3 * 128);
    assert_eq!(component.stored_bytes, Some(Bytes(2560 + 8192 + 256 + 512)));
    config.as_object_mut().unwrap().insert("model_type".to_owned(), json!("unknown"));
    let unpacked = folder.json("config.json", &config).component();
    assert_eq!(unpacked.parameters, 10 * 128 + 128 * 128);
}

#[test]
fn bytes_of_bitsandbytes_hold_two_weights() {
    let config = json!({ "quantization_config": { "quant_method": "bitsandbytes", "load_in_4bit": true } });
    let tensors: &[(&str, &str, &[u64])] = &[
        ("model.layers.0.mlp.up_proj.weight", "U8", &[512, 1]),
        ("model.layers.0.mlp.up_proj.weight.absmax", "F32", &[16]),
        ("model.layers.0.mlp.up_proj.weight.quant_state.bitsandbytes__nf4", "U8", &[90]),
        ("model.norm.weight", "BF16", &[8]),
    ];
    let component =
        Folder::new().json("config.json", &config).tensors("model.safetensors", tensors).component();
    assert_eq!((component.parameters, component.stored), (1024 + 8, Some(Dtype::BFloat16)));
}

#[test]
fn a_checkpoint_with_a_head_too_many_is_counted_as_its_class() {
    let config = json!({ "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 0,
        "hidden_size": 100, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 100 });
    let parts: &[(&str, &str, &[u64])] = &[
        ("model.embed_tokens.weight", "F32", &[100, 100]),
        ("model.norm.weight", "F32", &[100]),
        ("lm_head.weight", "F32", &[100, 100]),
    ];
    let folder = Folder::new().json("config.json", &config).tensors("model.safetensors", parts);
    assert_eq!(folder.component().base_parameters, Some(10_100));
    assert_eq!(folder.component().stored_bytes, Some(Bytes(4 * 20_100)));
    let more = [parts, &[("second_head.weight", "F32", &[2, 50])]].concat();
    let component = folder.tensors("model.safetensors", &more).component();
    assert_eq!((component.parameters, component.stored_bytes), (20_100, None));
}

#[test]
fn a_configuration_alone_is_counted_where_it_can_be() {
    let t5 = json!({ "architectures": ["T5EncoderModel"], "model_type": "t5", "d_model": 8, "num_heads": 2, "d_kv": 4,
        "d_ff": 16, "num_layers": 1, "vocab_size": 10, "relative_attention_num_buckets": 32, "torch_dtype": "float32" });
    let folder = Folder::new().json("config.json", &t5);
    let facts = folder.facts();
    assert_eq!(facts.certainty, Certainty::Counted);
    assert_eq!(facts.source, FactSource::Config(folder.0.path().join("config.json")));
    assert_eq!(folder.component().float32_in_float16, 8 * 16);
    assert_eq!(Folder::new().json("config.json", &json!({ "model_type": "new" })).read(), Ok(None));
    assert_eq!(Folder::new().read(), Ok(None));
}

#[test]
fn weights_that_stay_in_float32_are_known_by_their_names() {
    let name = "encoder.block.0.layer.1.DenseReluDense.wo.weight";
    let folder = |model_type: &str| {
        Folder::new()
            .json("config.json", &json!({ "model_type": model_type }))
            .tensors("model.safetensors", &[(name, "F16", &[8, 4])])
    };
    assert_eq!(folder("t5").component().float32_in_float16, 32);
    assert_eq!(folder("other").component().float32_in_float16, 0);
}

#[test]
fn a_pipeline_is_the_sum_of_its_parts() {
    let index = json!({ "_class_name": "FluxPipeline", "_diffusers_version": "0.30", "image_encoder": [null, null],
        "scheduler": ["diffusers", "FlowMatch"], "transformer": ["diffusers", "FluxTransformer2DModel"],
        "text_encoder_2": ["transformers", "T5EncoderModel"], "../out": ["x", "Y"], "vae": ["diffusers", "AutoencoderKL"] });
    let shard = "diffusion_pytorch_model-00001-of-00001.safetensors";
    let folder = Folder::new()
        .json("model_index.json", &index)
        .json("scheduler/scheduler_config.json", &json!({}))
        .json("transformer/config.json", &json!({ "_class_name": "FluxTransformer2DModel" }))
        .json(
            "transformer/diffusion_pytorch_model.safetensors.index.json",
            &json!({ "weight_map": { "a": shard } }),
        )
        .tensors(&format!("transformer/{shard}"), &[("a.weight", "BF16", &[16, 16])])
        .json(
            "text_encoder_2/config.json",
            &json!({ "model_type": "t5", "architectures": ["T5EncoderModel"] }),
        )
        .tensors("text_encoder_2/model.fp16.safetensors", &[("shared.weight", "F16", &[10, 8])])
        .json("vae/config.json", &json!({ "_class_name": "AutoencoderKL" }));
    assert!(matches!(folder.read(), Err(ReadError::Missing(sentence)) if sentence.contains("vae")));
    let folder =
        folder.tensors("vae/diffusion_pytorch_model.safetensors", &[("c.weight", "F32", &[4, 4, 3, 3])]);
    let facts = folder.facts();
    let parts: Vec<_> = facts
        .components
        .iter()
        .map(|part| (part.name.as_str(), part.class.as_str(), part.parameters, part.stored_bytes.unwrap().0))
        .collect();
    assert_eq!(
        parts,
        [
            ("transformer", "FluxTransformer2DModel", 256, 512),
            ("text_encoder_2", "T5EncoderModel", 80, 160),
            ("vae", "AutoencoderKL", 144, 576)
        ]
    );
    assert_eq!(facts.certainty, Certainty::Exact);
}

#[test]
fn an_adapter_is_what_it_adds() {
    let config = json!({ "peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-3.1-8B", "r": 8 });
    let folder = Folder::new().json("adapter_config.json", &config);
    assert!(matches!(folder.read(), Err(ReadError::Missing(_))));
    let matrices: &[(&str, &str, &[u64])] =
        &[("q.lora_A.weight", "F32", &[8, 64]), ("q.lora_B.weight", "F32", &[64, 8])];
    let folder = folder.tensors("adapter_model.safetensors", matrices);
    assert_eq!(folder.facts().adapts.as_deref(), Some("meta-llama/Llama-3.1-8B"));
    let component = folder.component();
    assert_eq!((component.class.as_str(), component.parameters), ("LORA", 1024));
}
