//! What a `config.json` says.

use serde_json::Value;

use crate::memory::weights::{Dtype, Method, Quantization};

/// No dimension of a model is larger; what is larger is a mistake or an attack.
const MAX_DIMENSION: u64 = 1 << 32;

/// A configuration, with the one of its text model over its own.
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    value: &'a Value,
}

impl<'a> Config<'a> {
    /// The configuration in a parsed file.
    pub const fn new(value: &'a Value) -> Self {
        Self { value }
    }

    /// What stands under the first of these keys that is there, in the text model's configuration first.
    pub fn get(self, keys: &[&str]) -> Option<&'a Value> {
        let text = self.value.get("text_config");
        let places = text.into_iter().chain([self.value]);
        let found = |place: &'a Value| keys.iter().find_map(|key| place.get(key));
        places.filter_map(found).find(|value| !value.is_null())
    }

    /// A dimension or a count under the first of these keys that is there.
    pub fn number(self, keys: &[&str]) -> Option<u64> {
        self.get(keys)?.as_u64().filter(|number| *number < MAX_DIMENSION)
    }

    /// Whether something stands under a key, be it that there is none of it (`null`).
    pub fn names(self, key: &str) -> bool {
        self.value.get("text_config").unwrap_or(self.value).get(key).is_some()
    }

    /// A truth value.
    pub fn flag(self, key: &str) -> Option<bool> {
        self.get(&[key])?.as_bool()
    }

    /// A word.
    pub fn word(self, key: &str) -> Option<&'a str> {
        self.value.get(key)?.as_str()
    }

    /// A configuration inside this one.
    pub fn inner(self, key: &str) -> Option<Self> {
        self.value.get(key).filter(|value| value.is_object()).map(Self::new)
    }

    /// The class that it was made for: that of transformers, or that of diffusers.
    pub fn class(self) -> Option<&'a str> {
        let named = self.value.get("architectures").and_then(|list| list.get(0)).and_then(Value::as_str);
        named.or_else(|| self.word("_class_name"))
    }

    /// The type of the weights, as the configuration tells it.
    pub fn stored(self) -> Option<Dtype> {
        Dtype::parse(self.get(&["dtype", "torch_dtype"])?.as_str()?)
    }

    /// How the weights are quantized.
    pub fn quantization(self) -> Option<Quantization> {
        let config = self.get(&["quantization_config"])?;
        let number = |key: &str| config.get(key).and_then(Value::as_u64);
        let yes = |key: &str| config.get(key).and_then(Value::as_bool) == Some(true);
        let method = config.get("quant_method").and_then(Value::as_str);
        match method.map(str::to_ascii_lowercase).as_deref() {
            Some("fp8" | "fbgemm_fp8") => Some(Quantization::Float8),
            Some("mxfp4") => Some(Quantization::Mxfp4),
            Some("modelopt") => match config.get("quant_algo")?.as_str()? {
                "FP8" => Some(Quantization::Float8),
                "NVFP4" => Some(Quantization::Nvfp4),
                _ => None,
            },
            Some("compressed-tensors") => compressed(config),
            None | Some("bitsandbytes") if yes("load_in_8bit") => Some(Quantization::Bnb8),
            None | Some("bitsandbytes") if yes("load_in_4bit") => {
                Some(Quantization::Bnb4 { double: yes("bnb_4bit_use_double_quant") })
            }
            Some(method) => {
                let bits = u8::try_from(number("bits").or_else(|| number("w_bit"))?).ok()?;
                match Method::parse(method)?.with_bits(bits) {
                    Quantization::Grouped { method, bits, group } => {
                        // A group of -1 is a scale for each row.
                        let given = config.get("group_size").and_then(Value::as_i64);
                        let group = given.map_or(group, |given| u32::try_from(given).unwrap_or(0));
                        Some(Quantization::Grouped { method, bits, group })
                    }
                    other => Some(other),
                }
            }
            None => None,
        }
    }
}

/// The weights of the first group of compressed-tensors' configuration.
fn compressed(config: &Value) -> Option<Quantization> {
    let groups = config.get("config_groups")?.as_object()?;
    let weights = groups.values().next()?.get("weights")?;
    let bits = u8::try_from(weights.get("num_bits")?.as_u64()?).ok()?;
    match (weights.get("type").and_then(Value::as_str), bits) {
        (Some("float"), 8) => Some(Quantization::Float8),
        (Some("float"), 4) => Some(Quantization::Nvfp4),
        _ => {
            let group = weights.get("group_size").and_then(Value::as_u64);
            let group = group.map_or(0, |group| u32::try_from(group).unwrap_or(0));
            Some(Quantization::Grouped { method: Method::CompressedTensors, bits, group })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn quantization(config: &Value) -> Option<Quantization> {
        Config::new(&json!({ "quantization_config": config })).quantization()
    }

    #[test]
    fn quantizations_are_told_by_their_methods() {
        let gptq = json!({ "quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": true });
        let grouped = |method, group| Some(Quantization::Grouped { method, bits: 4, group });
        assert_eq!(quantization(&gptq), grouped(Method::Gptq, 128));
        assert_eq!(
            quantization(&json!({ "quant_method": "awq", "bits": 4, "group_size": -1 })),
            grouped(Method::Awq, 0)
        );
        let bnb = json!({ "quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true });
        assert_eq!(quantization(&bnb), Some(Quantization::Bnb4 { double: true }));
        assert_eq!(quantization(&json!({ "load_in_8bit": true })), Some(Quantization::Bnb8));
        assert_eq!(quantization(&json!({ "quant_method": "mxfp4" })), Some(Quantization::Mxfp4));
        let weights = json!({ "num_bits": 4, "type": "int", "group_size": 128 });
        let packed = json!({ "quant_method": "compressed-tensors", "config_groups": { "group_0": { "weights": weights } } });
        assert_eq!(quantization(&packed), grouped(Method::CompressedTensors, 128));
        for unknown in
            [json!({}), json!(3), json!({ "quant_method": "new" }), json!({ "quant_method": "gptq" })]
        {
            assert_eq!(quantization(&unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_text_model_speaks_first_and_nonsense_is_no_number() {
        let value = json!({ "hidden_size": 3, "text_config": { "hidden_size": 7, "vocab_size": null }, "vocab_size": 9,
            "num_hidden_layers": -1, "intermediate_size": 9_000_000_000_000_000_u64 });
        let config = Config::new(&value);
        assert_eq!(config.number(&["hidden_size"]), Some(7));
        assert_eq!(config.number(&["vocab_size"]), Some(9));
        assert_eq!(config.number(&["num_hidden_layers"]), None);
        assert_eq!(config.number(&["intermediate_size"]), None);
    }
}
