//! Transformers: what each family does to its inputs, operation by operation.

mod architecture;
mod context;
mod decoder;
mod disentangled;
mod encoder;
mod experts;
mod heads;
mod pair;
mod stack;
mod t5;
mod vision;

pub use architecture::{
    Architecture, Audio, Biases, ClassifierHead, Decoder, Disentangled, Drops, Encoder, Experts, Family,
    Feed, Held, Names, Order, Pair, Patches, Positions, Projection, QueryKeyNorm, RelativePair, Rotation,
    Scales, Task, Towers, Window,
};
pub use context::{Cache, Context, Output};

use crate::memory::replay::Tape;

/// One forward pass.
pub fn forward(tape: &Tape, context: &Context) -> Output {
    match &context.architecture.family {
        Family::Decoder(description) => {
            let (hidden, table) = decoder::features(tape, context, description);
            heads::decoder_head(tape, context, description, [hidden, table])
        }
        Family::Encoder(description) => encoder::run(tape, context, description),
        Family::Disentangled(description) => disentangled::run(tape, context, description),
        Family::RelativePair(description) => t5::run(tape, context, description),
        Family::Pair(description) => pair::run(tape, context, description),
        Family::Patches(description) => vision::run(tape, context, description),
        Family::Towers(description) => vision::towers(tape, context, description),
    }
}
