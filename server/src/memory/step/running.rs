//! A model on a device, ready to run.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::range::{Range, range};
use super::{Counted, Generation, Run, RunTask};
use crate::memory::Bytes;
use crate::memory::replay::{Device, Kind, Moment, Parameter, Parameters, Storage, Tape, Tensor, Trained};
use crate::memory::transformers::{Architecture, Cache, Context, Output, forward};
use crate::memory::weights::Dtype;

/// A model on a device.
pub struct Running<'a> {
    pub run: &'a Run,
    architecture: Arc<Architecture>,
    pub device: Rc<Device>,
    pub tape: Tape,
    /// Images or sound.
    signal: Option<Tensor>,
    /// Other inputs of the step: token numbers and labels, eight bytes each.
    _inputs: Vec<Rc<Storage>>,
}

impl<'a> Running<'a> {
    /// Puts a model on a device. A pass over one token says which parameters there are.
    pub fn new(architecture: Arc<Architecture>, run: &'a Run) -> Self {
        let (trained, adapters, training) = match &run.task {
            RunTask::Train(training) => (training.trained, training.adapters.clone(), true),
            RunTask::Forward | RunTask::Generate(_) => (Trained::All, None, false),
        };
        let parameters = Parameters::new(run.dtype, trained, adapters).with_quantized(run.quantized);
        let first = Tape::new(Rc::default(), parameters, false);
        let one = Run { batch: 1, length: 1, target: 1, ..run.clone() };
        let signal = architecture.signal(run.image).map(|numbers| first.fresh(1, numbers, run.dtype));
        drop(forward(&first, &Context { signal, ..context(&architecture, &one, false) }));
        let device = Rc::new(Device::default());
        let parameters = first.into_parameters();
        parameters.load(&device);
        let tape = Tape::new(Rc::clone(&device), parameters, training);
        let signal = architecture.signal(run.image).map(|numbers| tape.fresh(run.batch, numbers, run.dtype));
        let inputs = inputs(&architecture, run, &device);
        Self { run, architecture, device, tape, signal, _inputs: inputs }
    }

    /// One forward pass of a step, under autocast where that is on.
    pub fn pass(&self, labels: bool) -> (Output, [Option<Rc<RefCell<Cache>>>; 2]) {
        let signal = self.signal.clone();
        let context = Context { signal, ..context(&self.architecture, self.run, labels) };
        let caches = [context.cache.clone(), context.cross.clone()];
        self.tape.parameters.go_to(0);
        (self.tape.under_autocast(self.run.autocast, || forward(&self.tape, &context)), caches)
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
        let cross = Rc::new(RefCell::new(Cache::new(None)));
        let pair = self.architecture.is_pair();
        let start = Context {
            batch,
            target: 1,
            cache: Some(Rc::clone(&cache)),
            cross: Some(cross),
            signal: self.signal.clone(),
            last_only: !generation.all_scores,
            ..context(&self.architecture, self.run, false)
        };
        self.tape.begin(Moment::Prefill);
        let encoded = self.generated(&start).filter(|_| pair);
        if generation.all_scores || generation.new == 0 {
            return;
        }
        // Only the last token is decoded; what came before is as if it had been.
        let known = if pair { 1 } else { self.run.length };
        let past = known.saturating_add(generation.new).saturating_sub(1);
        if !generation.room {
            let window = |layer| self.architecture.window(layer);
            cache.borrow_mut().advance(&self.tape, [batch, past], window);
        }
        self.tape.begin(Moment::Decode);
        let length = if pair { start.length } else { 1 };
        drop(self.generated(&Context { length, past, encoded, ..start }));
    }

    /// One forward pass of a generation, and the choice of the next token from a float32 copy of its scores; the encoder's
    /// output, where there is one.
    fn generated(&self, context: &Context) -> Option<Tensor> {
        self.tape.parameters.go_to(0);
        let output = self.tape.under_autocast(self.run.autocast, || forward(&self.tape, context));
        let encoded = output.others.first().cloned();
        if let Some(scores) = &output.scores {
            drop(self.tape.fresh(scores.rows.min(context.batch), scores.features, Dtype::Float32));
        }
        encoded
    }

    /// What was counted.
    pub fn counted(&self) -> Counted {
        let peak = self.device.peak();
        let elements = |parameters: &[Parameter]| {
            parameters.iter().map(Parameter::elements).fold(0, u64::saturating_add)
        };
        let bytes = |parameters: &[Parameter], trainable: bool| -> Bytes {
            let chosen = parameters.iter().filter(|parameter| parameter.trainable == trainable);
            chosen.map(|parameter| Bytes(parameter.bytes())).sum()
        };
        let Range { low, high, doubts } = range(&self.architecture, self.run, &peak);
        Counted {
            low,
            high,
            doubts,
            breakdown: peak.live.into(),
            working: peak.working.into(),
            moment: peak.moment,
            tensors: Bytes(peak.tensors),
            allocated: Bytes(peak.allocated),
            reserved: Bytes(peak.reserved),
            parameters: elements(&self.tape.parameters.declared()),
            trained: elements(&self.tape.parameters.trained()),
            frozen: bytes(&self.tape.parameters.declared(), false),
            gradients: bytes(&self.tape.parameters.declared(), true),
        }
    }
}

/// What one forward pass runs on.
fn context(architecture: &Arc<Architecture>, run: &Run, labels: bool) -> Context {
    let checkpointing = matches!(&run.task, RunTask::Train(training) if training.checkpointing);
    let cache = (run.use_cache && !checkpointing).then(|| Rc::new(RefCell::new(Cache::new(None))));
    let cross =
        cache.as_ref().filter(|_| architecture.is_pair()).map(|_| Rc::new(RefCell::new(Cache::new(None))));
    Context {
        architecture: Arc::clone(architecture),
        batch: run.batch,
        length: run.length,
        target: run.target,
        past: 0,
        cache,
        cross,
        encoded: None,
        signal: None,
        image: run.image,
        kernel: run.kernel,
        padded: run.padded,
        checkpointing,
        labels,
        last_only: false,
    }
}

/// Token numbers and labels.
fn inputs(architecture: &Architecture, run: &Run, device: &Rc<Device>) -> Vec<Rc<Storage>> {
    let length = if architecture.is_pair() { run.target } else { run.length };
    let labels = run.batch.saturating_mul(length);
    let tokens = run.batch.saturating_mul(run.length);
    let words = |count: u64| device.allocate(Dtype::Int64.of(count).0, Kind::Activations);
    let mut inputs = vec![words(tokens)];
    if matches!(run.task, RunTask::Train(_)) {
        inputs.push(words(if architecture.labels_are_tokens() { labels } else { run.batch }));
    }
    inputs
}
