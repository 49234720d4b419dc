//! A training step: forward, backward, optimizer.

use super::running::Running;
use super::{Runner, Training};
use crate::memory::replay::{Kind, Moment, Tensor};
use crate::memory::weights::Dtype;

/// Runs the step of a loop that has run before: the optimizer has its state, and what a name holds of the last step is there
/// while the next forward pass runs.
pub fn train(running: &Running, training: &Training) {
    let tape = &running.tape;
    let trained = tape.parameters.trained();
    let states = training.optimizer.state(&trained, &running.device);
    let mut held: Vec<Tensor> = Vec::new();
    let mut held_cache = None;
    // With accumulation, the second micro-batch meets the gradients of the first. A script also meets the outputs of
    // the step before.
    let passes = match training.runner {
        _ if training.accumulation > 1 => 2,
        Runner::Script => 2,
        Runner::ScriptWithoutOutputs | Runner::Trainer => 1,
    };
    for pass in 0..passes {
        tape.begin(Moment::Forward);
        let (output, caches) = running.pass(true);
        let Some(loss) = output.loss else { return };
        match training.runner {
            Runner::Script => {
                held = output.scores.into_iter().chain(output.others).collect();
                held_cache = Some(caches);
            }
            Runner::ScriptWithoutOutputs => drop((output.scores, output.others, caches)),
            Runner::Trainer => {
                // `convert_outputs_to_fp32` of accelerate.
                let copies = output.scores.iter().filter(|_| running.run.autocast.is_some());
                let copies: Vec<Tensor> = copies
                    .map(|scores| tape.of_kind(Kind::Logits, || tape.to(scores, Dtype::Float32)))
                    .collect();
                drop((copies, output.scores, output.others, caches));
            }
        }
        tape.begin(Moment::Backward);
        tape.backward(&loss);
        if training.accumulation <= 1 || pass + 1 == passes {
            tape.begin(Moment::OptimizerStep);
            training.optimizer.step(&trained, &running.device);
            tape.parameters.zero_gradients();
        }
    }
    drop((held, held_cache, states));
}
