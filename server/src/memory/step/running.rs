//! A model on a device, ready to run.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Counted, Generation, Run, RunTask};
use crate::memory::Bytes;
use crate::memory::replay::{Device, Kind, Moment, Parameters, Storage, Tape, Tensor, Trained};
use crate::memory::transformers::{Architecture, Cache, Context, Output, forward};
use crate::memory::weights::Dtype;

/// A model on a device.
pub struct Running<'a> {
    pub run: &'a Run,
    architecture: Rc<Architecture>,
    pub device: Rc<Device>,
    pub tape: Tape,
    /// The inputs of the step: token numbers and labels, eight bytes each.
    _inputs: Vec<Rc<Storage>>,
}

impl<'a> Running<'a> {
    /// Puts a model on a device. A pass over one token says which parameters there are.
    pub fn new(architecture: Rc<Architecture>, run: &'a Run) -> Self {
        let (trained, adapters, training) = match &run.task {
            RunTask::Train(training) => (training.trained, training.adapters.clone(), true),
            RunTask::Forward | RunTask::Generate(_) => (Trained::All, None, false),
        };
        let parameters = Parameters::new(run.dtype, trained, adapters);
        let first = Tape::new(Rc::default(), parameters, false);
        let one = Run { batch: 1, length: 1, target: 1, ..run.clone() };
        drop(forward(&first, &context(&architecture, &one, false)));
        let device = Rc::new(Device::default());
        let parameters = first.into_parameters();
        parameters.load(&device);
        let tape = Tape::new(Rc::clone(&device), parameters, training);
        let inputs = inputs(&architecture, run, &device);
        Self { run, architecture, device, tape, _inputs: inputs }
    }

    /// One forward pass of a step, under autocast where that is on.
    pub fn pass(&self, labels: bool) -> (Output, Option<Rc<RefCell<Cache>>>) {
        let context = context(&self.architecture, self.run, labels);
        let cache = context.cache.clone();
        self.tape.parameters.go_to(0);
        (self.tape.under_autocast(self.run.autocast, || forward(&self.tape, &context)), cache)
    }

    /// A forward pass without gradients.
    pub fn forward(&self) {
        self.tape.begin(Moment::Forward);
        drop(self.pass(false));
    }

    /// A prompt and the tokens after it. The peak of decoding is at its last token, where the cache is largest.
    pub fn generate(&self, generation: &Generation) {
        let batch = self.run.batch.saturating_mul(generation.beams.max(1));
        let total = self.run.length.saturating_add(generation.new);
        let cache = Rc::new(RefCell::new(Cache::new(generation.room.then_some(total))));
        let start = Context {
            batch,
            cache: Some(Rc::clone(&cache)),
            last_only: !generation.all_scores,
            ..context(&self.architecture, self.run, false)
        };
        self.tape.begin(Moment::Prefill);
        self.tape.parameters.go_to(0);
        let output = self.tape.under_autocast(self.run.autocast, || forward(&self.tape, &start));
        drop(self.chosen(output));
        if generation.all_scores || generation.new == 0 {
            return;
        }
        let past = total.saturating_sub(1);
        if !generation.room {
            // Only the last token is decoded; what came before is as if it had been.
            let missing = past.saturating_sub(self.run.length).saturating_mul(batch);
            cache.borrow_mut().grow(&self.tape, missing);
        }
        self.tape.begin(Moment::Decode);
        self.tape.parameters.go_to(0);
        let next = Context { length: 1, past, ..start };
        let output = self.tape.under_autocast(self.run.autocast, || forward(&self.tape, &next));
        drop(self.chosen(output));
    }

    /// The scores of the next token, copied to float32, while the outputs are there.
    fn chosen(&self, output: Output) -> Option<Tensor> {
        let scores = output.scores.as_ref()?;
        let rows = scores.rows.min(self.run.batch);
        let copy = self.tape.fresh(rows, scores.features, Dtype::Float32);
        drop(output);
        Some(copy)
    }

    /// What was counted.
    pub fn counted(&self) -> Counted {
        let peak = self.device.peak();
        let elements = |parameters: &[crate::memory::replay::Parameter]| {
            parameters.iter().map(|parameter| parameter.elements()).fold(0, u64::saturating_add)
        };
        Counted {
            breakdown: peak.into(),
            moment: peak.moment,
            tensors: Bytes(peak.tensors),
            allocated: Bytes(peak.allocated),
            reserved: Bytes(peak.reserved),
            parameters: elements(&self.tape.parameters.declared()),
            trained: elements(&self.tape.parameters.trained()),
        }
    }
}

/// What one forward pass runs on.
fn context(architecture: &Rc<Architecture>, run: &Run, labels: bool) -> Context {
    let checkpointing = matches!(&run.task, RunTask::Train(training) if training.checkpointing);
    let cache = (run.use_cache && !checkpointing).then(|| Rc::new(RefCell::new(Cache::new(None))));
    Context {
        architecture: Rc::clone(architecture),
        batch: run.batch,
        length: run.length,
        target: run.target,
        past: 0,
        cache,
        kernel: run.kernel,
        padded: run.padded,
        checkpointing,
        labels,
        last_only: false,
    }
}

/// Token numbers and labels.
fn inputs(architecture: &Architecture, run: &Run, device: &Rc<Device>) -> Vec<Rc<Storage>> {
    let tokens = run.batch.saturating_mul(run.length);
    let words = |count: u64| device.allocate(Dtype::Int64.of(count).0, Kind::Activations);
    let mut inputs = vec![words(tokens)];
    if matches!(run.task, RunTask::Train(_)) {
        inputs.push(words(if architecture.labels_are_tokens() { tokens } else { run.batch }));
    }
    inputs
}
