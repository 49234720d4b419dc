//! Models on this machine, for the tests.

use crate::estimate::Certainty;
use crate::memory::weights::Dtype;
use crate::models::{Component, FactSource, ModelFacts};

/// A language model of 8 billion parameters in a folder.
pub fn llama() -> ModelFacts {
    let model = Component {
        class: "LlamaForCausalLM".to_owned(),
        parameters: 8_030_261_248,
        base_parameters: Some(7_504_924_672),
        unquantized: 1_050_939_392,
        stored: Some(Dtype::BFloat16),
        ..Component::default()
    };
    facts("./llama", vec![model])
}

/// A pipeline of FLUX.
pub fn flux() -> ModelFacts {
    let parts = [
        ("transformer", "FluxTransformer2DModel", 11_901_408_320, 0),
        ("text_encoder", "CLIPTextModel", 123_060_480, 38_000_000),
        ("text_encoder_2", "T5EncoderModel", 4_762_310_656, 131_604_480),
        ("vae", "AutoencoderKL", 83_819_683, 0),
    ];
    facts("./flux", parts.into_iter().map(part).collect())
}

/// A pipeline of Stable Diffusion 1.5.
pub fn stable_diffusion() -> ModelFacts {
    let parts = [
        ("unet", "UNet2DConditionModel", 859_520_964, 0),
        ("vae", "AutoencoderKL", 83_653_863, 0),
        ("text_encoder", "CLIPTextModel", 123_060_480, 38_000_000),
        ("safety_checker", "StableDiffusionSafetyChecker", 303_981_588, 0),
    ];
    facts("./sd", parts.into_iter().map(part).collect())
}

/// A model of one part, with so many parameters.
pub fn single(name: &str, class: &str, parameters: u64) -> ModelFacts {
    facts(name, vec![Component { name: String::new(), ..part(("", class, parameters, 0)) }])
}

fn part((name, class, parameters, unquantized): (&str, &str, u64, u64)) -> Component {
    Component {
        name: name.to_owned(),
        class: class.to_owned(),
        parameters,
        unquantized,
        stored: Some(Dtype::BFloat16),
        ..Component::default()
    }
}

fn facts(name: &str, components: Vec<Component>) -> ModelFacts {
    ModelFacts {
        name: name.to_owned(),
        source: FactSource::Config(format!("{name}/config.json").into()),
        certainty: Certainty::Exact,
        disputed: None,
        components,
        uncounted: None,
        adapts: None,
    }
}
