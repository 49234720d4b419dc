//! The weights of well-known models against figures worked out by hand from their published counts.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may fail")]

use super::{Catalog, Component};
use crate::memory::Bytes;
use crate::memory::weights::{Dtype, Precision, Quantization};

/// A precision as the table below writes it; `None` for the one that the checkpoint is stored in.
fn precision(written: &str) -> Option<Precision> {
    let quantization = match written {
        "stored" => return None,
        "bnb-4bit" => Some(Quantization::Bnb4 { double: false }),
        "bnb-4bit-double" => Some(Quantization::Bnb4 { double: true }),
        "bnb-8bit" => Some(Quantization::Bnb8),
        _ => Quantization::gguf(written),
    };
    Some(match quantization {
        Some(quantization) => Precision::Quantized { quantization, rest: Dtype::BFloat16 },
        None => Precision::Plain(Dtype::parse(written).expect(written)),
    })
}

#[test]
fn weights_of_well_known_models() {
    for (name, held, bytes) in [
        ("openai-community/gpt2", "float32", 497_759_232),
        ("EleutherAI/pythia-1b", "float16", 2_023_563_264),
        ("sentence-transformers/all-MiniLM-L6-v2", "float32", 90_852_864),
        ("BAAI/bge-large-en-v1.5", "float32", 1_340_567_552),
        ("Qwen/Qwen3-0.6B", "bfloat16", 1_192_099_840),
        ("google/gemma-2-9b", "bfloat16", 18_483_411_968),
        ("meta-llama/Llama-3.1-8B", "bfloat16", 16_060_522_496),
        ("meta-llama/Llama-3.1-8B", "float32", 32_121_044_992),
        ("meta-llama/Llama-3.1-8B", "bnb-4bit", 6_027_747_328),
        ("meta-llama/Llama-3.1-8B", "bnb-4bit-double", 5_702_295_552),
        ("meta-llama/Llama-3.1-8B", "bnb-8bit", 9_088_016_384),
        ("meta-llama/Llama-3.1-8B", "Q4_K_M", 4_908_497_187),
        ("meta-llama/Llama-3.1-8B", "Q8_0", 8_532_152_576),
        ("meta-llama/Llama-3.3-70B-Instruct", "bnb-4bit-double", 39_517_110_272),
        ("mistralai/Mistral-7B-v0.1", "bnb-4bit", 4_450_689_024),
        ("mistralai/Mixtral-8x7B-v0.1", "bfloat16", 93_405_585_408),
        ("Qwen/Qwen3-30B-A3B", "bfloat16", 61_064_245_248),
        ("microsoft/Phi-3-mini-4k-instruct", "Q4_0", 2_149_357_248),
        ("Qwen/Qwen2-VL-7B-Instruct", "bfloat16", 16_582_751_232),
        ("openai/whisper-large-v3", "float16", 3_086_981_120),
        ("google/flan-t5-xxl", "bfloat16", 22_270_664_704),
        ("google/flan-t5-xxl", "float16", 26_297_196_544),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "stored", 5_570_556_376),
        ("TheBloke/Llama-2-7B-GPTQ", "stored", 3_889_307_648),
        ("openai/gpt-oss-20b", "stored", 13_761_264_768),
        ("deepseek-ai/DeepSeek-V3", "stored", 673_044_016_206),
        ("stabilityai/stable-diffusion-xl-base-1.0", "float16", 6_937_675_734),
        ("stabilityai/stable-diffusion-3.5-medium", "bfloat16", 16_268_208_838),
        ("black-forest-labs/FLUX.1-dev", "bfloat16", 33_741_198_278),
        ("black-forest-labs/FLUX.1-dev", "float16", 35_754_464_198),
        ("black-forest-labs/FLUX.1-dev", "bnb-4bit", 11_301_038_794),
        ("torchvision.models.resnet50", "float32", 102_228_128),
    ] {
        let facts = Catalog::tables().find(name).expect(name);
        let weights = |part: &Component| match precision(held) {
            Some(precision) => part.counts().bytes(precision),
            None => part.stored_weights().unwrap(),
        };
        let total: Bytes = facts.components.iter().map(weights).sum();
        assert_eq!(total, Bytes(bytes), "{name} in {held}");
    }
}

#[test]
fn every_confirmed_model_has_the_weights_of_its_count() {
    let confirmed = ["exact", "exact-base", "exact-family", "explained"];
    let mut count = 0;
    for model in Catalog::tables().models().filter(|model| confirmed.contains(&model.verified)) {
        let facts = Catalog::tables().find(model.id).expect(model.id);
        let weights =
            facts.components.iter().map(|part| part.counts().bytes(Precision::Plain(Dtype::BFloat16)));
        let buffers: u64 = facts.components.iter().map(|part| part.buffers).sum();
        assert_eq!(weights.sum::<Bytes>(), Bytes((model.parameters + buffers) * 2), "{}", model.id);
        count += 1;
    }
    assert!(count > 900, "{count}");
}
