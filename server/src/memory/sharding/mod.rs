//! Training over several GPUs: what each of them holds.
//!
//! A model that is trained on one GPU is known in numbers, with what its passes work with. How it is shared says which of
//! its weights, gradients and optimizer states every GPU holds whole, which in equal parts, and which wait in host memory.
//! The peak is the most of three moments: a pass with all activations, the end of the backward pass with all gradients, and
//! the step of the optimizer.

mod strategies;
#[cfg(test)]
mod tests;

use super::Bytes;
use super::step::Optimizer;
use super::weights::Dtype;

pub use strategies::{Buckets, Full, Stage};

/// A model that is trained, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trainee {
    /// Parameters that are trained.
    pub trained: u64,
    /// What the other parameters take, as they are held.
    pub frozen: Bytes,
    /// The number of blocks that repeat.
    pub blocks: u64,
    /// Parameters outside of the blocks: embeddings and the output head.
    pub outside: u64,
    /// All parameters.
    pub parameters: u64,
    /// The most that activations, scores and caches take in a pass on one GPU.
    pub working: Bytes,
    /// Whether gradients of earlier micro-batches are there in a pass.
    pub accumulates: bool,
    /// The optimizer.
    pub optimizer: Optimizer,
}

/// In which types a model is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types {
    /// Of the weights that are trained, between the passes.
    pub held: Dtype,
    /// Of weights in a pass.
    pub computed: Dtype,
    /// Of gradients, once they are there.
    pub gradients: Dtype,
    /// Of the copy that the optimizer steps on, where it keeps one beside the weights.
    pub master: Option<Dtype>,
}

/// How much of something each GPU holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// Every GPU holds all of it.
    #[default]
    Whole,
    /// Every GPU holds an equal part.
    Part,
    /// It waits in host memory.
    Host,
}

/// How weights come together that are held in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gathering {
    /// They are there already.
    #[default]
    Nothing,
    /// A block at a time, and the next one ahead of its turn.
    Blocks,
    /// As `Blocks`, and those that were used stay while there are no more parameters than this.
    UpTo(u64),
    /// All of them, from the forward pass to the end of the backward pass.
    Everything,
}

/// How a model is shared among GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// The weights between the passes.
    pub weights: Share,
    /// The gradients.
    pub gradients: Share,
    /// What the optimizer keeps.
    pub optimizer: Share,
    /// How weights come together.
    pub gathering: Gathering,
    /// What lasts beside the gradients, or in their place.
    pub copies: Copies,
    /// Elements of buckets that gradients are sent in: usually, and at most.
    pub buckets: [u64; 2],
    /// Elements of its own part that the optimizer steps on at once, where that is not all of it.
    pub step_at_once: Option<u64>,
    /// GPUs that share one copy of the model.
    pub gpus: u64,
}

/// What reduces whole gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// Nothing that lasts.
    #[default]
    None,
    /// Buckets with a copy of all gradients, always there.
    Buckets,
    /// Buckets that the gradients are views of, always there.
    Views,
}

/// What one GPU holds at the peak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerGpu {
    /// Weights, with those that were brought together for a pass.
    pub weights: Bytes,
    /// Gradients, with the buckets.
    pub gradients: Bytes,
    /// What the optimizer keeps.
    pub optimizer: Bytes,
    /// Activations, scores and caches.
    pub working: Bytes,
    /// What the optimizer makes while it steps.
    pub stepping: Bytes,
}

/// What one GPU holds at the peak, and its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// At least this.
    pub low: Bytes,
    /// Most likely this, by kind.
    pub expected: PerGpu,
    /// At most this.
    pub high: Bytes,
}

/// How sure a count wants to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Low,
    Expected,
    High,
}

impl PerGpu {
    /// All of it.
    pub fn total(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer + self.working + self.stepping
    }

    /// Whichever is more.
    fn or(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }
}

/// What each GPU holds at the peak of a training step.
pub fn per_gpu(trainee: Trainee, types: Types, sharing: Sharing) -> Shared {
    let count = |bound| Count { trainee, types, sharing, bound }.peak();
    Shared {
        low: count(Bound::Low).total(),
        expected: count(Bound::Expected),
        high: count(Bound::High).total(),
    }
}

struct Count {
    trainee: Trainee,
    types: Types,
    sharing: Sharing,
    bound: Bound,
}

impl Count {
    /// The most of the moments.
    fn peak(&self) -> PerGpu {
        let held = PerGpu { weights: self.weights(), optimizer: self.optimizer(), ..PerGpu::default() };
        let gathered = held.weights + self.gathered();
        let (always, at_end) = self.gradients();
        let early = if self.trainee.accumulates { at_end } else { always };
        let pass = PerGpu { weights: gathered, gradients: early, working: self.trainee.working, ..held };
        // The last block's gradients are whole until they are sent.
        let whole = match self.sharing.gradients {
            Share::Whole => Bytes(0),
            Share::Part | Share::Host => self.types.gradients.of(self.trained_of(self.block())),
        };
        let end = PerGpu { weights: gathered, gradients: at_end + whole, ..held };
        let step = PerGpu { gradients: at_end, stepping: self.stepping(), ..held };
        pass.or(end).or(step)
    }

    fn weights(&self) -> Bytes {
        let Trainee { trained, frozen, .. } = self.trainee;
        self.share(self.sharing.weights, self.types.held.of(trained) + frozen)
    }

    /// The moments, and the copy of the weights that they belong to.
    fn optimizer(&self) -> Bytes {
        let Trainee { trained, optimizer, .. } = self.trainee;
        let copy = self.types.master.map_or_else(Bytes::default, |dtype| dtype.of(trained));
        let stepped = self.types.master.unwrap_or(self.types.held).of(trained);
        self.share(self.sharing.optimizer, optimizer.moments(stepped) + copy)
    }

    /// What gradients and their buckets take always, and when all gradients are there.
    fn gradients(&self) -> (Bytes, Bytes) {
        let all = self.types.gradients.of(self.trainee.trained);
        let own = self.share(self.sharing.gradients, all);
        let [usual, most] = self.sharing.buckets;
        let elements = match self.bound {
            Bound::Low => 0,
            Bound::Expected => usual,
            Bound::High => most,
        };
        // No bucket is longer than what there is to send.
        let buckets = self.types.gradients.of(elements.min(self.trainee.trained.saturating_mul(2)));
        match self.sharing.copies {
            Copies::None => (buckets, own + buckets),
            Copies::Buckets => (all, own + all),
            Copies::Views => (all, all),
        }
    }

    /// What the optimizer makes while it steps.
    fn stepping(&self) -> Bytes {
        let Trainee { trained, optimizer, .. } = self.trainee;
        let own = match self.sharing.optimizer {
            Share::Whole => trained,
            Share::Part => trained.div_ceil(self.sharing.gpus.max(1)),
            Share::Host => 0,
        };
        let at_once = self.sharing.step_at_once.map_or(own, |most| own.min(most));
        let stepped = self.types.master.unwrap_or(self.types.held).of(at_once);
        // Gradients in the type of the copy are made for the step.
        let raised = match self.types.master {
            Some(dtype) if dtype != self.types.gradients => dtype.of(at_once),
            _ => Bytes(0),
        };
        optimizer.temporary(stepped) + raised
    }

    /// Weights that are whole for a while.
    fn gathered(&self) -> Bytes {
        let Trainee { parameters, outside, trained, frozen, .. } = self.trainee;
        let block = self.block();
        let ahead = block.saturating_mul(2).max(outside);
        let both = block.saturating_mul(2).saturating_add(outside);
        let elements = match (self.sharing.gathering, self.bound) {
            (Gathering::Nothing, _) => return Bytes(0),
            (Gathering::Everything, _) => parameters,
            (_, Bound::Low) => block.max(outside),
            (_, Bound::Expected) => ahead,
            (Gathering::Blocks, Bound::High) => both,
            (Gathering::UpTo(most), Bound::High) => most.max(both),
        };
        // What is not trained comes together as it is held, quantized or not.
        let whole = self.types.computed.of(trained) + frozen;
        let part = u128::from(whole.0) * u128::from(elements.min(parameters)) / u128::from(parameters.max(1));
        Bytes(u64::try_from(part).unwrap_or(u64::MAX))
    }

    /// Parameters of one block.
    fn block(&self) -> u64 {
        let Trainee { parameters, outside, blocks, .. } = self.trainee;
        parameters.saturating_sub(outside).div_ceil(blocks.max(1))
    }

    /// So many of these are trained at most.
    fn trained_of(&self, elements: u64) -> u64 {
        elements.min(self.trainee.trained)
    }

    fn share(&self, share: Share, bytes: Bytes) -> Bytes {
        match share {
            Share::Whole => bytes,
            Share::Part => Bytes(bytes.0.div_ceil(self.sharing.gpus.max(1))),
            Share::Host => Bytes(0),
        }
    }
}
