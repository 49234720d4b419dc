//! Parameters counted from a configuration alone, for architectures whose layers are known.
//!
//! Each family is a formula that reads as its layers do in transformers. What is not known is not counted: a family, a
//! class or an option that no formula covers gives nothing.

mod decoders;
mod encoders;
mod mixtures;
mod multimodal;
mod older;
mod sequence;
mod shape;
mod sum;

use crate::models::Component;
use crate::models::local::config::Config;
use sum::Sum;

pub use shape::labels;

/// The parameters of a class, and of its base.
#[derive(Clone, Copy, Debug)]
struct Count {
    /// The class that is named.
    whole: Sum,
    /// The same without what it adds to the base class (`AutoModel`), with what only the base class has.
    base: Sum,
}

/// A formula: from a configuration and the part of its class that says what it is for (`ForCausalLM`).
type Formula = fn(Config, &str) -> Option<Count>;

/// The model that a configuration describes; `None` when no formula covers it.
pub fn component(config: Config) -> Option<Component> {
    let class = config.class()?;
    let count = formula(config.word("model_type")?)?(config, class)?;
    let whole = count.whole;
    Some(Component {
        class: class.to_owned(),
        parameters: whole.total(),
        base_parameters: Some(count.base.total()).filter(|base| *base != whole.total()),
        unquantized: whole.unquantized(),
        expert_parameters: whole.experts,
        float32_in_float16: whole.float32,
        stored: config.stored(),
        quantized: config.quantization(),
        ..Component::default()
    })
}

/// The formula for a type of model.
fn formula(model_type: &str) -> Option<Formula> {
    Some(match model_type {
        "llama" | "mistral" | "granite" | "smollm3" => decoders::llama,
        "qwen2" => decoders::qwen2,
        "qwen3" => decoders::qwen3,
        "gemma" => decoders::gemma,
        "gemma2" => decoders::gemma2,
        "gemma3_text" => decoders::gemma3,
        "olmo2" => decoders::olmo2,
        "phi3" => decoders::phi3,
        "phi" => decoders::phi,
        "cohere" => decoders::cohere,
        "stablelm" => decoders::stablelm,
        "mixtral" => mixtures::mixtral,
        "qwen2_moe" => mixtures::qwen2_moe,
        "qwen3_moe" => mixtures::qwen3_moe,
        "gpt2" => older::gpt2,
        "gpt_bigcode" => older::gpt_bigcode,
        "gpt_neo" => older::gpt_neo,
        "gpt_neox" => older::gpt_neox,
        "gptj" | "codegen" => older::gptj,
        "opt" => older::opt,
        "bloom" => older::bloom,
        "falcon" => older::falcon,
        "bert" => encoders::bert,
        "roberta" | "xlm-roberta" | "camembert" => encoders::roberta,
        "distilbert" => encoders::distilbert,
        "electra" => encoders::electra,
        "deberta-v2" => encoders::deberta_v2,
        "vit" => encoders::vit,
        "clip" => multimodal::clip,
        "whisper" => multimodal::whisper,
        "t5" | "mt5" => sequence::t5,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
