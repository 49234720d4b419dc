//! Weights and what is done to them: from a plan to the bytes on the GPU. Numbers only, no syntax.

use crate::knowledge::loading::{Loading, Seat};
use crate::memory::Bytes;
use crate::memory::weights::{Dtype, Precision, Quantization, WeightCounts};

/// Where weights are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Host memory.
    Host,
    /// One GPU.
    Gpu,
    /// Spread evenly over this many GPUs.
    Spread(u32),
}

/// How weights come to the GPU only while they are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One component of a pipeline at a time.
    Components,
    /// One layer at a time.
    Leaves,
    /// A few blocks at a time.
    Groups,
}

/// One part of what is loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The attribute of the pipeline; empty for the only model.
    pub name: String,
    /// How many elements of each kind it has.
    pub counts: WeightCounts,
    /// Parameters of a mixture's experts that bitsandbytes would leave alone, in the installed version of the library.
    pub fused: u64,
    /// How they are held.
    pub precision: Precision,
    /// What the files hold, where it is loaded just as it is stored and that is known.
    pub as_stored: Option<Bytes>,
    /// Where it is.
    pub place: Place,
    /// How it comes to the GPU, if only while it is needed.
    pub offload: Option<Mode>,
}

/// What is done to a part, or to all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The part; empty for all.
    pub part: String,
    /// What is done.
    pub change: Change,
}

/// What is done to weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// They are converted.
    Cast(Dtype),
    /// They are moved.
    Put(Place),
    /// They are kept in host memory but for what runs.
    Offload(Mode),
}

/// A size with its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// At least this.
    pub low: Bytes,
    /// Most likely this.
    pub expected: Bytes,
    /// At most this.
    pub high: Bytes,
}

/// What a plan comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The parts, as they are when the most is on the GPU.
    pub pieces: Vec<Piece>,
    /// What of each of them is on one GPU then.
    pub shares: Vec<Bytes>,
    /// What is on one GPU then.
    pub peak: Range,
    /// The step after which that is so; `None` as soon as it is loaded.
    pub reached: Option<usize>,
    /// Whether a later step takes some of it away again.
    pub passing: bool,
}

impl Piece {
    /// The bytes of its weights, wherever they are.
    pub fn weights(&self) -> Bytes {
        self.as_stored.unwrap_or_else(|| self.counts().bytes(self.precision))
    }

    /// How many elements of each kind it has, with those that the quantization leaves alone.
    fn counts(&self) -> WeightCounts {
        let leaves_fused = matches!(
            self.precision,
            Precision::Quantized { quantization: Quantization::Bnb4 { .. } | Quantization::Bnb8, .. }
        );
        let fused = if leaves_fused { self.fused } else { 0 };
        WeightCounts { unquantized: self.counts.unquantized.saturating_add(fused), ..self.counts }
    }

    /// The bytes of its largest layer, about and at most. What reads text has its embeddings, which quantization leaves
    /// alone; in the transformers and U-Nets of diffusers 0.42 the largest layer has from a half to three hundredths of
    /// the parameters, mostly about one.
    fn leaf(&self) -> Range {
        let is_text = self.name.is_empty() || Loading::tables().reads_text(&self.name);
        let embeddings = if is_text { self.counts.unquantized } else { 0 };
        let embeddings =
            WeightCounts { parameters: embeddings, ..WeightCounts::default() }.bytes(self.rest());
        let weights = self.weights();
        let part = |share: u64| Bytes(weights.0 / share).max(embeddings).min(weights);
        Range { low: Bytes(0), expected: part(100), high: part(25) }
    }

    /// The type of what is not quantized.
    fn rest(&self) -> Precision {
        match self.precision {
            Precision::Quantized { rest, .. } => Precision::Plain(rest),
            plain @ Precision::Plain(_) => plain,
        }
    }

    fn apply(&mut self, change: Change) {
        match change {
            // Quantized weights refuse to be converted.
            Change::Cast(dtype) if matches!(self.precision, Precision::Plain(_)) => {
                self.precision = Precision::Plain(dtype);
                self.as_stored = None;
            }
            Change::Cast(_) => {}
            Change::Put(place) => (self.place, self.offload) = (place, None),
            Change::Offload(mode) => (self.place, self.offload) = (Place::Host, Some(mode)),
        }
    }
}

/// Follows the steps, and keeps the moment at which the most is on the GPU, the last one of several.
pub fn follow(mut pieces: Vec<Piece>, steps: &[Step]) -> Outcome {
    let mut most = Outcome::of(&pieces, None);
    for (number, step) in steps.iter().enumerate() {
        apply(&mut pieces, step);
        let now = Outcome::of(&pieces, Some(number));
        if now.peak.expected >= most.peak.expected {
            most = now;
        } else {
            most.passing = true;
        }
    }
    most
}

impl Outcome {
    /// The pieces as they are after a step.
    fn of(pieces: &[Piece], reached: Option<usize>) -> Self {
        let (shares, peak) = (shares(pieces), on_gpu(pieces));
        Self { pieces: pieces.to_vec(), shares, peak, reached, passing: false }
    }
}

/// Does a step to the pieces that are meant.
fn apply(pieces: &mut [Piece], step: &Step) {
    let meant = |piece: &&mut Piece| step.part.is_empty() || step.part == piece.name;
    pieces.iter_mut().filter(meant).for_each(|piece| piece.apply(step.change));
}

/// The pieces after all the steps.
pub fn after(mut pieces: Vec<Piece>, steps: &[Step]) -> Vec<Piece> {
    for step in steps {
        apply(&mut pieces, step);
    }
    pieces
}

/// What is on one GPU.
fn on_gpu(pieces: &[Piece]) -> Range {
    let expected: Bytes = shares(pieces).into_iter().sum();
    let of = |mode: Mode| pieces.iter().filter(move |piece| piece.offload == Some(mode));
    let most = |sizes: &mut dyn Iterator<Item = Bytes>| sizes.max().unwrap_or_default();
    let leaf = most(&mut of(Mode::Leaves).map(|piece| piece.leaf().expected));
    let largest_leaf = most(&mut of(Mode::Leaves).map(|piece| piece.leaf().high));
    let group = most(&mut of(Mode::Groups).map(|piece| turn(piece, Mode::Groups)));
    let largest = most(&mut of(Mode::Groups).map(Piece::weights));
    let certain = expected.saturating_sub(leaf).saturating_sub(group);
    Range { low: certain, expected, high: certain + largest_leaf + largest }
}

/// What of each part is on one GPU: of those that take turns, the largest has its turn.
fn shares(pieces: &[Piece]) -> Vec<Bytes> {
    let mut shares: Vec<Bytes> = pieces.iter().map(resident).collect();
    for mode in [Mode::Components, Mode::Leaves, Mode::Groups] {
        let turns = pieces.iter().enumerate().filter(|(_, piece)| piece.offload == Some(mode));
        let (seated, turns): (Vec<_>, Vec<_>) =
            turns.partition(|(_, piece)| mode == Mode::Components && seat(piece).is_some());
        let largest = turns.into_iter().max_by_key(|(_, piece)| turn(piece, mode));
        for (number, piece) in seated.into_iter().chain(largest) {
            if let Some(share) = shares.get_mut(number) {
                *share = turn(piece, mode);
            }
        }
    }
    shares
}

/// What of a part is on the GPU when it has its turn.
fn turn(piece: &Piece, mode: Mode) -> Bytes {
    match mode {
        Mode::Components => piece.weights(),
        Mode::Leaves => piece.leaf().expected,
        Mode::Groups => Bytes(piece.weights().0 / 10),
    }
}

/// What of a part is always on one GPU.
fn resident(piece: &Piece) -> Bytes {
    match (piece.offload, piece.place) {
        (None, Place::Gpu) => piece.weights(),
        (None, Place::Spread(cards)) => Bytes(piece.weights().0.div_ceil(u64::from(cards.max(1)))),
        _ => Bytes(0),
    }
}

fn seat(piece: &Piece) -> Option<Seat> {
    Loading::tables().seat(&piece.name)
}
