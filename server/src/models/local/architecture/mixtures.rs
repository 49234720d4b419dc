//! Decoders with a mixture of experts.

use super::decoders::{Known, biases, llama};
use crate::memory::transformers::{Biases, Decoder, Experts, Feed, QueryKeyNorm};
use crate::models::local::config::Config;

/// A mixture in every layer; `None` where some layers have none.
pub fn read(family: &str, config: Config) -> Option<Known> {
    let number = |keys: &[&str], usual: u64| config.number(keys).unwrap_or(usual);
    let dense = config.get(&["mlp_only_layers"]).and_then(|layers| layers.as_array());
    if number(&["decoder_sparse_step"], 1) != 1 || dense.is_some_and(|layers| !layers.is_empty()) {
        return None;
    }
    let base = llama();
    Some(match family {
        "mixtral" => {
            let experts = Experts {
                count: number(&["num_local_experts"], 8),
                chosen: number(&["num_experts_per_tok"], 2),
                inner: config.number(&["intermediate_size"])?,
                shared: 0,
                weights_divided: true,
                weights_converted: false,
            };
            Decoder { feed: Feed::Experts(experts), ..base }.into()
        }
        "qwen2_moe" => {
            let experts = Experts {
                count: number(&["num_experts"], 60),
                chosen: number(&["num_experts_per_tok"], 4),
                inner: number(&["moe_intermediate_size"], 1408),
                shared: number(&["shared_expert_intermediate_size"], 5632),
                weights_divided: config.flag("norm_topk_prob") == Some(true),
                weights_converted: true,
            };
            let projection = config.flag("qkv_bias") != Some(false);
            let bias = Biases { projection, ..Biases::default() };
            Decoder { feed: Feed::Experts(experts), bias, ..base }.into()
        }
        _ => {
            let experts = Experts {
                count: number(&["num_experts"], 128),
                chosen: number(&["num_experts_per_tok"], 8),
                inner: number(&["moe_intermediate_size"], 768),
                shared: 0,
                weights_divided: config.flag("norm_topk_prob") == Some(true),
                weights_converted: true,
            };
            let feed = Feed::Experts(experts);
            Decoder { feed, query_key_norm: QueryKeyNorm::Heads, bias: biases(config), ..base }.into()
        }
    })
}
