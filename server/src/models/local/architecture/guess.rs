//! A decoder of a family that is not known, taken for one as most are built now.

use super::decoders::{biases, llama};
use super::{shape, task};
use crate::memory::transformers::{Architecture, Decoder, Family, Feed, QueryKeyNorm, Task};
use crate::models::local::config::Config;

/// Keys of configurations whose layers are built in another way: mixtures, state spaces, compressed keys and values,
/// several kinds of layers.
const OTHER: [&str; 14] = [
    "num_experts",
    "num_local_experts",
    "n_routed_experts",
    "moe_intermediate_size",
    "kv_lora_rank",
    "q_lora_rank",
    "ssm_cfg",
    "state_size",
    "mamba_d_state",
    "linear_num_value_heads",
    "attn_layer_period",
    "is_encoder_decoder",
    "vision_config",
    "audio_config",
];

/// The usual decoder with these dimensions; `None` where the configuration does not tell them, or tells of something else.
pub fn read(_family: &str, config: Config) -> Option<Architecture> {
    let language = matches!(task(config)?, Task::CausalLanguage) && config.class()?.ends_with("ForCausalLM");
    let other =
        OTHER.iter().any(|key| config.get(&[key]).is_some_and(|value| value.as_bool() != Some(false)));
    if !language || other {
        return None;
    }
    config.number(&["intermediate_size"])?;
    let gated = ["hidden_act", "hidden_activation"].iter().any(|key| config.names(key));
    let normed = config.flag("use_qk_norm") == Some(true) || config.flag("qk_layernorm") == Some(true);
    let decoder = Decoder {
        bias: biases(config),
        feed: if gated { Feed::Gated } else { Feed::Plain },
        query_key_norm: if normed { QueryKeyNorm::Heads } else { QueryKeyNorm::None },
        ..llama()
    };
    let architecture = shape(config, Family::Decoder(decoder), false, "silu")?;
    Some(Architecture { guessed: true, ..architecture })
}
