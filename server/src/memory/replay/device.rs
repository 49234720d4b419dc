//! The memory of one GPU while a program runs on it: what lives, and the most that ever did.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::allocator::{Allocator, BlockId};

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Parameters and buffers.
    Weights,
    /// Gradients of parameters, once they are in `.grad`.
    Gradients,
    /// What the optimizer keeps between steps.
    Optimizer,
    /// What is kept for the backward pass, and temporaries.
    Activations,
    /// The scores over the vocabulary, and what the loss makes of them.
    Logits,
    /// Keys and values of earlier tokens.
    Cache,
}

/// The number of kinds.
const KINDS: usize = 6;

/// When in a step the peak is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moment {
    /// Before anything runs.
    #[default]
    Loading,
    /// In the forward pass, or at its end.
    Forward,
    /// In the backward pass: at its start while activations and logits are whole, or at its end with all gradients.
    Backward,
    /// In the optimizer's step.
    OptimizerStep,
    /// While the prompt is read.
    Prefill,
    /// While a token is generated.
    Decode,
}

/// Bytes by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live([u64; KINDS]);

impl Live {
    /// The bytes of one kind.
    pub fn of(self, kind: Kind) -> u64 {
        self.0.get(kind as usize).copied().unwrap_or(0)
    }

    /// All bytes.
    pub fn total(self) -> u64 {
        self.0.iter().copied().fold(0, u64::saturating_add)
    }

    /// What passes work with, in bytes.
    fn working(self) -> u64 {
        [Kind::Activations, Kind::Logits, Kind::Cache]
            .into_iter()
            .map(|kind| self.of(kind))
            .fold(0, u64::saturating_add)
    }

    fn add(&mut self, kind: Kind, bytes: u64) {
        if let Some(place) = self.0.get_mut(kind as usize) {
            *place = place.saturating_add(bytes);
        }
    }

    fn take(&mut self, kind: Kind, bytes: u64) {
        if let Some(place) = self.0.get_mut(kind as usize) {
            *place = place.saturating_sub(bytes);
        }
    }
}

/// The most that lived at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// What it was made of.
    pub live: Live,
    /// When it was reached.
    pub moment: Moment,
    /// The most that the tensors took, each in steps of 512 bytes.
    pub tensors: u64,
    /// The most that `torch.cuda.max_memory_allocated()` counts, in bytes: the blocks that they lay in.
    pub allocated: u64,
    /// What the allocator holds, in bytes.
    pub reserved: u64,
    /// What lived when a forward or backward pass worked with the most: activations, logits and caches.
    pub working: Live,
}

/// One GPU.
#[derive(Debug, Default)]
pub struct Device {
    live: Cell<Live>,
    tensors: Cell<u64>,
    peak: Cell<Peak>,
    moment: Cell<Moment>,
    allocator: RefCell<Allocator>,
}

/// A piece of memory, given back when its last holder lets go of it.
#[derive(Debug)]
pub struct Storage {
    device: Rc<Device>,
    bytes: u64,
    kind: Cell<Kind>,
    block: BlockId,
}

impl Device {
    /// A piece of memory of so many bytes.
    pub fn allocate(self: &Rc<Self>, bytes: u64, kind: Kind) -> Rc<Storage> {
        let (block, allocated, reserved) = {
            let mut allocator = self.allocator.borrow_mut();
            let block = allocator.allocate(bytes);
            (block, allocator.allocated(), allocator.reserved())
        };
        let mut live = self.live.get();
        live.add(kind, bytes);
        self.live.set(live);
        let tensors = self.tensors.get().saturating_add(stepped(bytes));
        self.tensors.set(tensors);
        let mut peak = self.peak.get();
        peak.reserved = reserved;
        peak.tensors = peak.tensors.max(tensors);
        if allocated > peak.allocated {
            peak = Peak { live, moment: self.moment.get(), allocated, ..peak };
        }
        let is_pass = matches!(self.moment.get(), Moment::Forward | Moment::Backward);
        if is_pass && live.working() > peak.working.working() {
            peak.working = live;
        }
        self.peak.set(peak);
        Rc::new(Storage { device: Rc::clone(self), bytes, kind: Cell::new(kind), block })
    }

    /// Says what the program does from here on.
    pub fn begin(&self, moment: Moment) {
        self.moment.set(moment);
    }

    /// What lives now.
    #[cfg(test)]
    pub const fn live(&self) -> Live {
        self.live.get()
    }

    /// The most that lived at once so far.
    pub const fn peak(&self) -> Peak {
        self.peak.get()
    }
}

impl Storage {
    /// Says that the memory is for something else from here on.
    pub fn becomes(&self, kind: Kind) {
        let mut live = self.device.live.get();
        live.take(self.kind.replace(kind), self.bytes);
        live.add(kind, self.bytes);
        self.device.live.set(live);
    }
}

/// In whole steps of the allocator.
const fn stepped(bytes: u64) -> u64 {
    bytes.div_ceil(512).saturating_mul(512)
}

impl Drop for Storage {
    fn drop(&mut self) {
        let tensors = self.device.tensors.get().saturating_sub(stepped(self.bytes));
        self.device.tensors.set(tensors);
        let mut live = self.device.live.get();
        live.take(self.kind.get(), self.bytes);
        self.device.live.set(live);
        self.device.allocator.borrow_mut().free(self.block);
    }
}
