//! What operations keep and make.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::rc::Rc;

use super::{
    Activation, Adapters, Bias, Device, Kind, Live, Norm, Parameters, Quantized, Tape, Tensor, Trained,
};
use crate::memory::weights::{Dtype, Quantization};

const ROWS: u64 = 1024;
const WIDTH: u64 = 512;
/// A tensor of these rows in float32.
const WHOLE: u64 = ROWS * WIDTH * 4;

/// Runs a layer in training and tells what lives after it, without the parameters.
fn kept(trained: Trained, adapters: Option<&Adapters>, layer: impl Fn(&Tape, &Tensor) -> Tensor) -> u64 {
    let first = Tape::new(Rc::default(), Parameters::new(Dtype::Float32, trained, adapters.cloned()), false);
    let input = first.fresh(ROWS, WIDTH, Dtype::Float32);
    drop(layer(&first, &input));
    drop(input);
    let device: Rc<Device> = Rc::default();
    let parameters = first.into_parameters();
    parameters.load(&device);
    let tape = Tape::new(Rc::clone(&device), parameters, true);
    // An input that needs a gradient, as that of every layer but the first.
    let input = tape.keeps_input(tape.needing_gradient(ROWS, WIDTH, Dtype::Float32));
    let before = activations(device.live());
    let output = layer(&tape, &input);
    drop(input);
    let held = activations(device.live());
    drop(output);
    // Without the input, which is counted only where the layer keeps it.
    held.saturating_sub(before.saturating_sub(WHOLE))
}

fn activations(live: Live) -> u64 {
    live.of(Kind::Activations)
}

#[test]
fn a_trained_linear_layer_keeps_its_input_and_a_frozen_one_nothing() {
    let layer = |tape: &Tape, input: &Tensor| tape.linear(input, "up", WIDTH, Bias::With);
    assert_eq!(kept(Trained::All, None, layer), 2 * WHOLE);
    assert_eq!(kept(Trained::Nothing, None, layer), WHOLE);
}

#[test]
fn what_several_operations_keep_counts_once() {
    let layers = |tape: &Tape, input: &Tensor| {
        let gate = tape.linear(input, "gate", WIDTH, Bias::Without);
        tape.multiply(gate, tape.linear(input, "up", WIDTH, Bias::Without))
    };
    // The input once, both factors, the product.
    assert_eq!(kept(Trained::All, None, layers), 4 * WHOLE);
}

#[test]
fn dropout_keeps_a_byte_for_each_element() {
    assert_eq!(kept(Trained::All, None, |tape, input| tape.dropout(input, 0.1)), WHOLE + ROWS * WIDTH);
    assert_eq!(kept(Trained::All, None, |tape, input| tape.dropout(input, 0.0)), WHOLE);
}

#[test]
fn an_adapter_keeps_its_input_its_mask_and_the_small_product() {
    let adapters =
        Adapters { rank: 8, targets: None, dropout: 0.05, dtype: Dtype::Float32, trains_head: false };
    let layer = |tape: &Tape, input: &Tensor| tape.linear(input, "up", WIDTH, Bias::Without);
    let adapted = kept(Trained::Adapters, Some(&adapters), layer);
    // The input after dropout, the mask, the product of rank 8; the output.
    assert_eq!(adapted, WHOLE + ROWS * WIDTH + ROWS * 8 * 4 + WHOLE);
    let other = Adapters { targets: Some(vec!["down".to_owned()]), ..adapters };
    assert_eq!(kept(Trained::Adapters, Some(&other), layer), WHOLE);
}

#[test]
fn a_norm_keeps_its_input_and_two_numbers_a_row() {
    assert_eq!(kept(Trained::All, None, |tape, input| tape.norm(input, Norm::Layer)), 2 * WHOLE + ROWS * 8);
}

#[test]
fn a_checkpointed_layer_keeps_its_input_alone_until_it_runs_again() {
    let device: Rc<Device> = Rc::default();
    let tape = Tape::new(Rc::clone(&device), Parameters::new(Dtype::Float32, Trained::All, None), true);
    let input = tape.keeps_output(tape.needing_gradient(ROWS, WIDTH, Dtype::Float32));
    let layer = |tape: &Tape, input: &Tensor| {
        let once = tape.activate(input, Activation::OneKernel);
        tape.activate(tape.activate(once, Activation::OneKernel), Activation::OneKernel)
    };
    let output = tape.checkpointed(Rc::new(layer), input);
    assert_eq!(activations(device.live()), 2 * WHOLE);
    tape.backward(&output);
    drop(output);
    assert_eq!(activations(device.live()), 0);
    // The output, its gradient, the input and what two of the three functions keep of it; the last stops before it computes.
    assert!(device.peak().live.total() >= 5 * WHOLE, "{:?}", device.peak());
}

#[test]
fn a_parameter_that_is_used_twice_gets_one_gradient() {
    let parameters = Parameters::new(Dtype::Float32, Trained::All, None);
    let _ = parameters.next(WIDTH, WIDTH);
    let device: Rc<Device> = Rc::default();
    parameters.load(&device);
    let tape = Tape::new(Rc::clone(&device), parameters, true);
    let table = tape.parameters.next(WIDTH, WIDTH);
    let read = tape.embedding(&table, ROWS);
    let output = tape.affine(read, &table, None);
    tape.backward(&output);
    drop((table, output));
    assert_eq!(device.live().of(Kind::Gradients), WIDTH * WIDTH * 4);
    assert_eq!(activations(device.live()), 0);
}

#[test]
fn a_quantized_layer_keeps_neither_its_input_nor_a_copy_of_its_weight() {
    let quantized = Quantized { how: Quantization::Bnb4 { double: false }, compute: Dtype::BFloat16 };
    let parameters = Parameters::new(Dtype::BFloat16, Trained::Nothing, None).with_quantized(Some(quantized));
    let first = Tape::new(Rc::default(), parameters, false);
    drop(first.linear(first.fresh(1, WIDTH, Dtype::BFloat16), "up", WIDTH, Bias::Without));
    let device: Rc<Device> = Rc::default();
    let parameters = first.into_parameters();
    parameters.load(&device);
    let weights = device.live().of(Kind::Weights);
    assert_eq!(weights, Quantization::Bnb4 { double: false }.of(WIDTH * WIDTH).0);
    let tape = Tape::new(Rc::clone(&device), parameters, true);
    let input = tape.scale(tape.needing_gradient(ROWS, WIDTH, Dtype::BFloat16));
    let output = tape.linear(input, "up", WIDTH, Bias::Without);
    assert_eq!(activations(device.live()), ROWS * WIDTH * 2);
    tape.backward(&output);
    // The gradients of the output and the input, and the copy of the weight.
    let peak = device.peak().live.of(Kind::Activations);
    assert_eq!(peak, 3 * ROWS * WIDTH * 2 + WIDTH * WIDTH * 2);
}
