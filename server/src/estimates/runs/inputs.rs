//! How much a model is given at once.

use crate::python::library_call::{Arguments, Known, Shape};

/// The sizes of one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Sequences or images at once.
    pub batch: u64,
    /// Tokens of each.
    pub length: u64,
    /// Tokens of each that a second stack is given.
    pub target: u64,
    /// The side of images in pixels.
    pub image: Option<u64>,
    /// Whether a mask says which tokens count.
    pub padded: bool,
}

/// Names of what models are given: tokens, images, sounds.
const TOKENS: [&str; 2] = ["input_ids", "inputs"];
const IMAGES: &str = "pixel_values";
const SOUNDS: &str = "input_features";
const LABELS: &str = "labels";
const MASK: &str = "attention_mask";

/// The sizes of what a call of a model is given; `None` where they are not written.
pub fn given(arguments: &Arguments) -> Option<Inputs> {
    let shape = |name: &str| arguments.named(name).and_then(|given| given.value.shape());
    let first = || arguments.positional.first().and_then(|given| given.value.shape());
    let tokens = TOKENS.into_iter().find_map(shape).or_else(first).and_then(two);
    let image = shape(IMAGES).or_else(first).and_then(picture);
    let sound = shape(SOUNDS).and_then(|shape| Some((size(shape, 0)?, size(shape, 2)?)));
    let (batch, length) = tokens.or(sound).or_else(|| image.map(|(batch, _)| (batch, 0)))?;
    Some(Inputs {
        batch,
        length,
        target: shape(LABELS).and_then(two).map_or(length, |(_, length)| length),
        image: image.map(|(_, side)| side),
        padded: arguments.named(MASK).is_some_and(|given| given.value != Known::None),
    })
}

/// The sizes of a batch of sequences.
fn two(shape: &Shape) -> Option<(u64, u64)> {
    (shape.len() == 2).then_some(())?;
    Some((size(shape, 0)?, size(shape, 1)?))
}

/// The number and the side of a batch of pictures.
fn picture(shape: &Shape) -> Option<(u64, u64)> {
    (shape.len() == 4).then_some(())?;
    Some((size(shape, 0)?, size(shape, 2)?))
}

fn size(shape: &Shape, dimension: usize) -> Option<u64> {
    shape.get(dimension).copied().flatten().filter(|size| *size > 0)
}
