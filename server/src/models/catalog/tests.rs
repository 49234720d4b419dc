//! The tables load, and names lead where people expect.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may fail")]

use std::collections::BTreeSet;

use super::{Catalog, DIFFUSION, LANGUAGE, Library, REUPLOADS, VISION, certainty};
use crate::estimate::Certainty;
use crate::memory::weights::{Dtype, Method, Quantization};
use crate::models::{FactSource, ModelFacts};
use crate::table::{Headed, rows};

fn find(name: &str) -> ModelFacts {
    Catalog::tables().find(name).unwrap_or_else(|| panic!("nothing is known of {name}"))
}

/// Every row has all its columns, a source among them, and these columns are never empty.
fn check(table: &'static Headed, rows: usize, known: &[&str]) {
    let mut count = 0;
    for record in table.records() {
        assert_eq!(record.row().len(), record.row().columns().count());
        assert!(record.row().columns().all(|value| !value.is_empty()), "an empty column in {record:?}");
        for column in known {
            assert!(record.value(column).is_some(), "no {column} in {record:?}");
        }
        count += 1;
    }
    assert_eq!(count, rows);
}

#[test]
fn every_row_has_its_columns() {
    check(&LANGUAGE, 1621, &["id", "task", "parameters", "stored", "verified", "source"]);
    check(&DIFFUSION, 469, &["id", "class", "parameters", "buffers", "stored", "verified", "source"]);
    check(&VISION, 815, &["library", "name", "task", "parameters", "verified", "source"]);
    check(&REUPLOADS, 1720, &["id", "base", "stored", "source"]);
}

#[test]
fn every_start_of_a_name_has_its_library() {
    for row in rows(include_str!("../tables/vision_prefixes.tsv")) {
        assert_eq!(row.len(), 3, "columns of {row:?}");
        assert!(row.get(1).and_then(Library::of_column).is_some(), "unknown library in {row:?}");
    }
}

#[test]
fn every_row_is_found_by_its_id() {
    let mut ids = BTreeSet::new();
    for record in LANGUAGE.records() {
        let (id, verified) = (record.value("id").unwrap(), record.value("verified").unwrap());
        assert!(ids.insert(id.to_lowercase()), "{id} is there twice");
        let facts = find(&id.to_uppercase());
        assert_eq!(facts.source, FactSource::Catalog { id: id.to_owned(), verified, resolved: None });
        let component = facts.components.first().unwrap();
        assert_eq!(Some(component.parameters), record.number("parameters"), "{id}");
        let base = record.number("base_parameters").or(component.base_parameters);
        assert_eq!(component.base_parameters, base, "{id}");
        assert!(component.stored.is_some(), "{id}");
        let counted =
            component.unquantized.max(component.expert_parameters).max(component.float32_in_float16);
        assert!(counted <= component.parameters, "{id}: {component:?}");
        assert!(Catalog::tables().shape(id).is_some(), "{id}");
    }
    for record in DIFFUSION.records() {
        let facts = find(record.value("id").unwrap());
        let is_there = facts.components.iter().any(|component| {
            Some(component.parameters) == record.number("parameters")
                && component.name == record.value("component").unwrap_or_default()
        });
        assert!(is_there, "{record:?}");
    }
}

#[test]
fn a_language_model_without_its_head_has_what_is_left() {
    for (id, base) in [
        ("meta-llama/Llama-3.1-8B", Some(7_504_924_672)),
        ("openai-community/gpt2", Some(124_439_808)),
        ("google-bert/bert-base-uncased", Some(109_482_240)),
    ] {
        assert_eq!(find(id).components.first().unwrap().base_parameters, base, "{id}");
    }
}

#[test]
fn every_vision_model_is_found_by_its_library() {
    for record in VISION.records() {
        let library = Library::of_column(record.value("library").unwrap()).unwrap();
        let name = record.value("name").unwrap();
        let facts = Catalog::tables().find_in(library, name).unwrap();
        let sizes = [Some(facts.parameters()), facts.disputed];
        assert!(sizes.contains(&record.number("parameters")), "{name}: {facts:?}");
    }
}

#[test]
fn doubtful_counts_are_never_exact_and_carry_the_other_figure() {
    for (id, shown, other) in [
        ("google/gemma-4-E2B-it", 5_104_297_504, 5_123_178_051),
        ("microsoft/speecht5_tts", 144_431_684, 146_335_465),
        ("meta-llama/Llama-4-Scout-17B-16E", 108_641_793_536, 17_000_000_000),
    ] {
        let facts = find(id);
        assert_eq!((facts.parameters(), facts.disputed), (shown, Some(other)), "{id}");
        assert_eq!(facts.certainty, Certainty::Disputed, "{id}");
    }
    assert_eq!(find("EleutherAI/gpt-j-6b").certainty, Certainty::Counted);
    for record in LANGUAGE.records() {
        let (verified, disputed) = (record.value("verified").unwrap(), record.number("disputed"));
        let doubtful = ["mismatch", "counted?"].contains(&verified);
        assert!(!doubtful || disputed.is_some(), "{record:?}");
        let exact = certainty(verified, disputed) == Certainty::Exact;
        assert_eq!(
            exact,
            ["exact", "exact-base", "exact-family", "explained"].contains(&verified),
            "{record:?}"
        );
    }
}

#[test]
fn the_rules_find_the_originals_of_re_uploads_without_their_rows() {
    let catalog = Catalog::tables();
    let (mut missed, mut all) = (Vec::new(), 0);
    for record in REUPLOADS.records() {
        let (id, base) = (record.value("id").unwrap(), record.value("base").unwrap());
        let parameters = find(base).parameters();
        all += 1;
        assert_eq!(find(id).parameters(), parameters, "{id}");
        if catalog.by_rules(id).is_none_or(|facts| facts.parameters() != parameters) {
            missed.push(id);
        }
    }
    assert!(
        missed.len() * 1000 <= all * 10,
        "{} of {all} are not led to their originals: {missed:#?}",
        missed.len()
    );
}

#[test]
fn names_lead_to_models() {
    for (name, id) in [
        ("gpt2", "openai-community/gpt2"),
        ("bert-base-uncased", "google-bert/bert-base-uncased"),
        ("llama3.1:8b", "meta-llama/Llama-3.1-8B-Instruct"),
        ("TheBloke/Llama-2-13B-chat-GPTQ", "meta-llama/Llama-2-13b-chat-hf"),
        ("someone/Llama-2-7b", "meta-llama/Llama-2-7b-hf"),
        ("bartowski/Qwen_Qwen3-8B-GGUF", "Qwen/Qwen3-8B"),
        ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "meta-llama/Meta-Llama-3.1-8B-Instruct"),
        ("/data/models/Mistral-7B-Instruct-v0.3", "mistralai/Mistral-7B-Instruct-v0.3"),
        ("models--Qwen--Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("someone/stable-diffusion-xl-base-1.0", "stabilityai/stable-diffusion-xl-base-1.0"),
        ("torchvision.models.resnet50", "torchvision.models.resnet50"),
        (
            "torchvision.models.detection.fasterrcnn_resnet50_fpn_v2",
            "torchvision.models.detection.fasterrcnn_resnet50_fpn_v2",
        ),
        ("timm/cait_m48_448.fb_dist_in1k", "timm/cait_m48_448.fb_dist_in1k"),
        ("hf_hub:timm/resnet50.a1_in1k", "timm/resnet50"),
        ("resnet50", "torchvision.models.resnet50"),
        ("vit_base_patch16_224", "timm/vit_base_patch16_224"),
        ("yolov8n.pt", "yolov8n.yaml"),
        ("segmentation_models_pytorch.Unet", "segmentation_models_pytorch.Unet:resnet34"),
    ] {
        let FactSource::Catalog { id: found, .. } = find(name).source else { panic!("{name} is a guess") };
        assert_eq!(found.to_lowercase(), id.to_lowercase(), "{name}");
    }
}

#[test]
fn a_copy_says_that_it_is_taken_for_one() {
    let facts = find("me/Qwen2.5-7B-Instruct");
    let FactSource::Catalog { resolved, .. } = &facts.source else { panic!("a guess") };
    assert_eq!(
        resolved.as_deref(),
        Some("taken for a copy of `Qwen/Qwen2.5-7B-Instruct`, because the names agree")
    );
    assert_eq!((facts.name.as_str(), facts.certainty), ("me/Qwen2.5-7B-Instruct", Certainty::Counted));
    assert_eq!(find("bert-base-uncased").certainty, Certainty::Exact);
    assert_eq!(find("Qwen/Qwen2.5-7B-Instruct-AWQ").certainty, Certainty::Counted);
}

#[test]
fn marks_say_how_weights_are_stored() {
    let gptq = |method: Method, bits| Some(method.with_bits(bits));
    for (name, dtype, quantized) in [
        ("Qwen/Qwen2.5-7B-Instruct", Some(Dtype::BFloat16), None),
        ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", Some(Dtype::Float16), gptq(Method::Gptq, 4)),
        ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", Some(Dtype::Float16), gptq(Method::Gptq, 8)),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", Some(Dtype::Float16), gptq(Method::Awq, 4)),
        (
            "unsloth/Qwen2.5-7B-Instruct-bnb-4bit",
            Some(Dtype::Float16),
            Some(Quantization::Bnb4 { double: true }),
        ),
        ("RedHatAI/Qwen2.5-7B-Instruct-FP8-dynamic", Some(Dtype::BFloat16), Some(Quantization::Float8)),
        (
            "RedHatAI/Qwen2.5-7B-Instruct-quantized.w4a16",
            Some(Dtype::Float16),
            gptq(Method::CompressedTensors, 4),
        ),
        ("bartowski/Qwen2.5-7B-Instruct-GGUF", None, None),
        ("someone/Qwen2.5-7B-Instruct-Q4_K_M-GGUF", None, Quantization::gguf("Q4_K_M")),
        ("qwen2.5:7b-instruct-q8_0", None, Quantization::gguf("Q8_0")),
        ("qwen2.5:7b", None, Quantization::gguf("Q4_K_M")),
        ("mlx-community/Qwen2.5-7B-Instruct-4bit", Some(Dtype::Float16), gptq(Method::Mlx, 4)),
        ("openai/gpt-oss-20b", Some(Dtype::BFloat16), Some(Quantization::Mxfp4)),
        ("deepseek-ai/DeepSeek-V3", Some(Dtype::BFloat16), Some(Quantization::Float8)),
    ] {
        let facts = find(name);
        let component = facts.components.first().unwrap();
        assert_eq!((component.stored, component.quantized), (dtype, quantized), "{name}");
    }
}

#[test]
fn pipelines_have_their_parts() {
    let facts = find("stabilityai/stable-diffusion-3.5-medium");
    let transformer = facts.components.iter().find(|part| part.name == "transformer").unwrap();
    assert_eq!(transformer.buffers, 226_492_416);
    let flux = find("black-forest-labs/FLUX.1-dev");
    let parts: Vec<&str> = flux.components.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(parts, ["transformer", "vae", "text_encoder", "text_encoder_2"]);
    let t5 = flux.components.iter().find(|part| part.name == "text_encoder_2").unwrap();
    assert_eq!((t5.parameters, t5.float32_in_float16), (4_762_310_656, 1_006_632_960));
    assert_eq!(flux.certainty, Certainty::Exact);
    let incomplete = find("krea/Krea-2-Turbo");
    assert_eq!(incomplete.uncounted.as_deref(), Some("text encoder, VAE"));
}

#[test]
fn a_size_in_the_name_is_a_guess_and_nothing_is_nothing() {
    let facts = find("acme/secret-7b");
    assert_eq!((facts.parameters(), facts.certainty), (7_000_000_000, Certainty::Guessed));
    assert_eq!(facts.source, FactSource::Name);
    assert_eq!(Catalog::tables().find("acme/secret"), None);
    assert_eq!(Catalog::tables().find(""), None);
    assert_eq!(Catalog::tables().find("/"), None);
}

#[test]
fn the_listing_has_every_model() {
    let listed: Vec<_> = Catalog::tables().models().collect();
    let count = |id: &str| listed.iter().filter(|model| model.id == id).count();
    assert_eq!(listed.len(), 1621 + super::pipelines::places().count() + 815);
    assert_eq!(
        (
            count("openai-community/gpt2"),
            count("black-forest-labs/FLUX.1-dev"),
            count("torchvision.models.resnet50")
        ),
        (1, 1, 1)
    );
    assert!(listed.iter().all(|model| model.parameters > 0));
}
