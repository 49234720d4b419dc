//! Where the bytes of a value lie, and about how many there are for each item of a batch.

use std::ops::BitOr;

use crate::python::syntax::ExprId;

/// Where the tensors of a value lie and how large they are, as far as that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// Where they may lie.
    pub places: Places,
    /// How large they are.
    pub size: Size,
    /// What made them, where that matters.
    pub origin: Origin,
    /// Whether they are, or were made from, an item that a loop was given.
    pub from_item: bool,
    /// The call that made it of its own earlier value with more put beside it.
    pub grown: Option<ExprId>,
    /// Whether it is something that yields batches on that device.
    pub is_loader: bool,
    /// The forward pass that made it, where it has an entry for each word of a vocabulary.
    pub logits: Option<ExprId>,
    /// The call that chose its shape, which no operation has changed since.
    pub shaped: Option<ExprId>,
}

/// The places that tensors may lie in; none where nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places(u8);

/// How large a tensor is, for each item of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// One number, whatever the batch: a reduced loss.
    #[default]
    Number,
    /// A number or two for each item: class indices.
    Small,
    /// Whatever a data set yields: pictures or labels.
    Data,
    /// What is left of something large after a dimension was reduced.
    Reduced,
    /// What a module computes or is given: logits, embeddings, pictures.
    Large,
}

/// What made a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Anything.
    #[default]
    Other,
    /// A model that returns a record of all that it computed.
    Record,
    /// PyTorch's collective operations: it is what all processes hold, on the device of each.
    Collective,
    /// The same, by a framework's object.
    Framework,
}

impl Places {
    /// Nothing is known.
    pub const NOWHERE: Places = Places(0);
    /// A GPU: a device that the text names, or what takes a GPU wherever there is one.
    pub const GPU: Places = Places(1);
    /// Host memory.
    pub const HOST: Places = Places(2);
    /// The device that whoever runs the program chooses: it is most often a GPU.
    pub const CHOSEN: Places = Places(4);

    /// Whether anything is known.
    pub fn is_known(self) -> bool {
        self != Places::NOWHERE
    }

    /// Whether it may be a GPU.
    pub fn may_be_gpu(self) -> bool {
        self.0 & (Places::GPU.0 | Places::CHOSEN.0) != 0
    }

    /// Whether it is a GPU wherever there is one.
    pub fn is_gpu(self) -> bool {
        self == Places::GPU
    }

    /// Whether some way through the program leaves it in host memory.
    pub fn may_be_host(self) -> bool {
        self.0 & Places::HOST.0 != 0
    }
}

impl BitOr for Places {
    type Output = Places;

    fn bitor(self, other: Places) -> Places {
        Places(self.0 | other.0)
    }
}

impl Storage {
    /// Tensors in some places, of some size.
    pub fn new(places: Places, size: Size) -> Self {
        Self { places, size, ..Self::default() }
    }

    /// Either of two.
    #[must_use]
    pub fn join(self, other: Storage) -> Storage {
        let from_item = self.from_item | other.from_item;
        let (grown, logits) = (self.grown.or(other.grown), self.logits.or(other.logits));
        let shaped = self.shaped.filter(|_| self.shaped == other.shaped);
        if !self.places.is_known() {
            return Storage { from_item, grown, logits, shaped, ..other };
        }
        if !other.places.is_known() {
            return Storage { from_item, grown, logits, shaped, ..self };
        }
        Storage {
            places: self.places | other.places,
            size: self.size.max(other.size),
            origin: self.origin.max(other.origin),
            from_item,
            grown,
            is_loader: self.is_loader & other.is_loader,
            logits,
            shaped,
        }
    }

    /// The result of an operation on both: operands on a GPU stay there, and what is broadcast is as large as the
    /// larger.
    #[must_use]
    pub fn combined(self, other: Storage) -> Storage {
        let joined = self.join(other);
        let on_gpu = self.places.is_gpu() || other.places.is_gpu();
        Storage { places: if on_gpu { Places::GPU } else { joined.places }, grown: None, ..joined }
    }

    /// The same in other places.
    #[must_use]
    pub fn moved(self, places: Places) -> Storage {
        let logits = self.logits.filter(|_| !places.may_be_host());
        let size = if self.places.is_known() { self.size } else { Size::Data };
        Storage { logits, shaped: self.shaped, ..Storage::new(places, size) }
    }

    /// A part of it: what is cut off no longer grows.
    #[must_use]
    pub fn part(self) -> Storage {
        let origin = if self.origin == Origin::Record { Origin::Other } else { self.origin };
        Storage { grown: None, shaped: None, origin, ..self }
    }

    /// The same with another size; nothing known stays so.
    #[must_use]
    pub fn sized(self, size: Size) -> Storage {
        let logits = self.logits.filter(|_| size == Size::Large);
        if self.places.is_known() { Storage { size, logits, ..self } } else { Storage { logits, ..self } }
    }
}
