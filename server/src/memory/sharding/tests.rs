use proptest::prelude::*;

use super::*;

/// A model with 8 billion parameters, of which a billion is outside of 28 blocks.
const MODEL: Trainee = Trainee {
    trained: 8_000_000_000,
    frozen: Bytes(0),
    blocks: 28,
    outside: 1_000_000_000,
    parameters: 8_000_000_000,
    working: Bytes(3_000_000_000),
    accumulates: false,
    optimizer: Optimizer::AdamWFused,
};
const HALF: Types = Types {
    held: Dtype::BFloat16,
    computed: Dtype::BFloat16,
    gradients: Dtype::BFloat16,
    master: Some(Dtype::Float32),
};
const MIXED: Types =
    Types { held: Dtype::Float32, computed: Dtype::BFloat16, gradients: Dtype::Float32, master: None };
const NO_BUCKETS: Buckets = Buckets { reduce: 0, gather: 0, overlap: false, live: 1_000_000_000 };
const BILLION: u64 = 1_000_000_000;

fn expected(types: Types, sharing: Sharing) -> u64 {
    per_gpu(MODEL, types, sharing).expected.total().0
}

#[test]
fn replicas_hold_all_gradients_twice() {
    // 2 of weights, 4 of moments, 2 of gradients, 2 of buckets, for each parameter, at the end of the backward pass. As
    // views of the buckets, gradients are there in the passes, too, beside the activations (3 GB).
    let types = Types { master: None, ..HALF };
    assert_eq!(expected(types, Sharing::replicated(false)), 80 * BILLION);
    assert_eq!(expected(types, Sharing::replicated(true)), (64 + 3) * BILLION);
}

#[test]
fn fully_sharded() {
    // 16 bytes a parameter in eight parts; in the passes two 16-bit blocks (0.5 billion parameters) are less than the
    // 16-bit embeddings and head (2 GB). At the end of the backward pass one block's gradients are whole (1 GB).
    let full = Sharing::fully(Full::Shard, 8, false);
    assert_eq!(expected(MIXED, full), (16 + 2 + 1) * BILLION);
    // With no gradients yet: 12 bytes in eight parts, and the activations.
    let large = Trainee { working: Bytes(20 * BILLION), ..MODEL };
    assert_eq!(per_gpu(large, MIXED, full).expected.total().0, (12 + 2 + 20) * BILLION);
}

#[test]
fn weights_whole_from_forward_to_backward() {
    let sharing = Sharing::fully(Full::GradientsOnly, 8, false);
    assert_eq!(expected(MIXED, sharing), (16 + 16 + 1) * BILLION);
}

#[test]
fn quantized_weights_come_together_as_they_are_held() {
    // Half a byte a parameter: 4 GB, whole while it runs; a hundredth of a billion is trained.
    let adapted = Trainee { trained: 10_000_000, frozen: Bytes(4 * BILLION), working: Bytes(0), ..MODEL };
    let whole = per_gpu(adapted, MIXED, Sharing::fully(Full::GradientsOnly, 8, false));
    let weights = whole.expected.weights.0;
    assert!(weights.abs_diff(4 * BILLION + 4 * BILLION / 8) < BILLION / 20, "{weights}");
}

#[test]
fn offloaded_by_fsdp() {
    let sharing = Sharing::fully(Full::Shard, 8, true);
    assert_eq!(expected(MIXED, sharing), (2 + 3) * BILLION);
}

#[test]
fn stages_of_zero() {
    // In the step, the own part of the gradients is there in float32, too: 4 bytes a parameter in eight parts.
    let stage = |stage| expected(HALF, Sharing::zero(stage, 8, NO_BUCKETS));
    assert_eq!(stage(Stage::One), (16 + 16 + 12 + 4) * BILLION);
    assert_eq!(stage(Stage::Two), (16 + 2 + 12 + 4) * BILLION);
    assert_eq!(stage(Stage::Three), (2 + 2 + 12 + 4) * BILLION);
    // Stage 3 makes it for a billion parameters at a time, of the two billion of each of four GPUs.
    assert_eq!(expected(HALF, Sharing::zero(Stage::Three, 4, NO_BUCKETS)), (4 + 4 + 24 + 4) * BILLION);
}

#[test]
fn offloaded_by_zero() {
    let two = Sharing::zero(Stage::Two, 8, NO_BUCKETS).with_optimizer_on_host();
    assert_eq!(expected(HALF, two), (16 + 3) * BILLION);
    let three = Sharing::zero(Stage::Three, 8, NO_BUCKETS).with_optimizer_on_host().with_weights_on_host();
    assert_eq!(expected(HALF, three), (2 + 3) * BILLION);
}

#[test]
fn buckets_are_no_longer_than_what_is_sent() {
    let small = Trainee { trained: 1_000, parameters: 1_000, outside: 0, working: Bytes(0), ..MODEL };
    let shared = per_gpu(small, HALF, Sharing::zero(Stage::Two, 2, Buckets::default()));
    assert!(shared.high.0 < 40_000, "{shared:?}");
}

fn trainees() -> impl Strategy<Value = Trainee> {
    let numbers = (1_u64..100_000_000_000, 0_u64..100, 1_u64..100, 0_u64..100_000_000_000, any::<bool>());
    numbers.prop_map(|(parameters, outside, blocks, working, accumulates)| Trainee {
        trained: parameters,
        parameters,
        outside: parameters / 100 * outside,
        blocks,
        working: Bytes(working),
        accumulates,
        ..MODEL
    })
}

proptest! {
    #[test]
    fn more_gpus_never_raise_what_one_holds(trainee in trainees(), gpus in 1_u64..64, more in 1_u64..64) {
        for types in [HALF, MIXED] {
            let sharings = |gpus| [
                Sharing::zero(Stage::One, gpus, Buckets::default()),
                Sharing::zero(Stage::Two, gpus, Buckets::default()),
                Sharing::zero(Stage::Three, gpus, Buckets::default()),
                Sharing::fully(Full::Shard, gpus, false),
                Sharing::fully(Full::GradientsOnly, gpus, false),
            ];
            for (few, many) in sharings(gpus).into_iter().zip(sharings(gpus + more)) {
                let [few, many] = [few, many].map(|sharing| per_gpu(trainee, types, sharing));
                prop_assert!(many.low <= few.low && many.high <= few.high);
                prop_assert!(many.expected.total() <= few.expected.total());
            }
        }
    }

    #[test]
    fn a_later_stage_keeps_no_more_between_the_steps(trainee in trainees(), gpus in 1_u64..64) {
        let kept = |stage| {
            let sharing = Sharing::zero(stage, gpus, NO_BUCKETS);
            let count = Count { trainee, types: HALF, sharing, bound: Bound::Expected };
            count.weights() + count.gradients().1 + count.optimizer()
        };
        let stages = [Stage::Zero, Stage::One, Stage::Two, Stage::Three].map(kept);
        prop_assert!(stages.is_sorted_by(|earlier, later| earlier >= later));
    }

    #[test]
    fn the_expected_lies_within_the_bounds(trainee in trainees(), gpus in 1_u64..64) {
        for sharing in [
            Sharing::replicated(false),
            Sharing::fully(Full::Shard, gpus, false),
            Sharing::zero(Stage::Three, gpus, Buckets::default()),
        ] {
            let shared = per_gpu(trainee, HALF, sharing);
            prop_assert!(shared.low <= shared.expected.total() && shared.expected.total() <= shared.high);
        }
    }
}
