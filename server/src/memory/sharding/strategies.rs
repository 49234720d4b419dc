//! How libraries share a model among GPUs.

use super::{Copies, Gathering, Share, Sharing};

/// Which of a model's parts DeepSpeed's ZeRO shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing.
    Zero,
    /// What the optimizer keeps.
    One,
    /// Gradients, too.
    Two,
    /// Weights, too.
    Three,
}

/// What FSDP shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Everything (`FULL_SHARD`, `HYBRID_SHARD` within a node).
    Shard,
    /// Gradients and the optimizer's states; weights between the steps only (`SHARD_GRAD_OP`).
    GradientsOnly,
    /// Nothing (`NO_SHARD`).
    Nothing,
}

/// Elements of the buckets that DeepSpeed sends gradients in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// `reduce_bucket_size`.
    pub reduce: u64,
    /// `allgather_bucket_size`.
    pub gather: u64,
    /// Whether the next one is filled while one is sent (`overlap_comm`).
    pub overlap: bool,
    /// Parameters that may be whole at once in stage 3 (`stage3_max_live_parameters`).
    pub live: u64,
}

/// Elements that stage 3 steps on at once (`sub_group_size` of DeepSpeed 0.19).
const SUB_GROUP: u64 = 1_000_000_000;

impl Default for Buckets {
    /// Those of DeepSpeed 0.19, `runtime/zero/config.py`.
    fn default() -> Self {
        Self { reduce: 500_000_000, gather: 500_000_000, overlap: false, live: 1_000_000_000 }
    }
}

impl Sharing {
    /// `DistributedDataParallel`: a whole model on every GPU. Its buckets, which are made with it, hold a copy of all
    /// gradients, or are what the gradients are views of (`gradient_as_bucket_view`).
    pub fn replicated(views: bool) -> Self {
        let copies = if views { Copies::Views } else { Copies::Buckets };
        Self { copies, gpus: 1, ..Self::default() }
    }

    /// FSDP among so many GPUs: those of a node where a copy of the model stays within one.
    pub fn fully(full: Full, gpus: u64, offloads: bool) -> Self {
        let part = if offloads { Share::Host } else { Share::Part };
        let sharing = match full {
            Full::Nothing => return Self { gpus, ..Self::default() },
            Full::Shard => Gathering::Blocks,
            Full::GradientsOnly => Gathering::Everything,
        };
        Self { weights: part, gradients: part, optimizer: part, gathering: sharing, gpus, ..Self::default() }
    }

    /// ZeRO of DeepSpeed among so many GPUs.
    pub fn zero(stage: Stage, gpus: u64, buckets: Buckets) -> Self {
        let part = |from: &[Stage]| if from.contains(&stage) { Share::Part } else { Share::Whole };
        let sent = buckets.reduce.saturating_mul(if buckets.overlap { 2 } else { 1 });
        Self {
            weights: part(&[Stage::Three]),
            gradients: part(&[Stage::Two, Stage::Three]),
            optimizer: part(&[Stage::One, Stage::Two, Stage::Three]),
            gathering: match stage {
                Stage::Three => Gathering::UpTo(buckets.live),
                Stage::Zero | Stage::One | Stage::Two => Gathering::Nothing,
            },
            copies: Copies::None,
            step_at_once: (stage == Stage::Three).then_some(SUB_GROUP),
            buckets: [sent, buckets.reduce.saturating_mul(2).saturating_add(buckets.gather)],
            gpus,
        }
    }

    /// The same with the optimizer's states in host memory, and gradients where they are shared anyway
    /// (`offload_optimizer`).
    #[must_use]
    pub fn with_optimizer_on_host(self) -> Self {
        let gradients = if self.gradients == Share::Part { Share::Host } else { self.gradients };
        Self { optimizer: Share::Host, gradients, ..self }
    }

    /// The same with weights in host memory while they are not needed (`offload_param`), which only shared ones can be.
    #[must_use]
    pub fn with_weights_on_host(self) -> Self {
        let weights = if self.weights == Share::Part { Share::Host } else { self.weights };
        Self { weights, ..self }
    }
}
