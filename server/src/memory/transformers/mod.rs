//! Transformers: what each family does to its inputs, operation by operation.

mod architecture;
mod context;
mod decoder;
mod encoder;
mod experts;
mod heads;

pub use architecture::{
    Architecture, Biases, ClassifierHead, Decoder, Drops, Encoder, Experts, Family, Feed, Names, Order, Positions, Projection, QueryKeyNorm,
    Rotation, Scales, Task, Window,
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
    }
}
