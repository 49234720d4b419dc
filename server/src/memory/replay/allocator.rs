//! How PyTorch's caching allocator cuts its segments into blocks, which is what `torch.cuda.max_memory_allocated()` and
//! `max_memory_reserved()` count.
//!
//! Sizes are those of `CUDACachingAllocator.cpp` in torch 2.15, with the default settings: no expandable segments, no
//! largest size of a split, no rounding to powers of two.

use std::collections::BTreeSet;

/// Every block is a multiple of this.
const GRAIN: u64 = 512;
/// The largest request that is served from small segments, and the smallest rest that is cut off a large block.
const SMALL: u64 = 1 << 20;
/// A segment of small blocks.
const SMALL_SEGMENT: u64 = 2 << 20;
/// The segment of requests below [`OWN_SEGMENT`].
const LARGE_SEGMENT: u64 = 20 << 20;
/// Requests of this size and more get a segment of their own, in steps of [`SMALL_SEGMENT`].
const OWN_SEGMENT: u64 = 10 << 20;

/// A block that was handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockId(usize);

/// A part of a segment.
#[derive(Clone, Copy, Debug)]
struct Block {
    size: u64,
    small: bool,
    free: bool,
    before: Option<usize>,
    after: Option<usize>,
}

/// The allocator of one device. It never gives a segment back.
#[derive(Debug, Default)]
pub struct Allocator {
    blocks: Vec<Block>,
    /// Places in `blocks` that are no longer in use.
    unused: Vec<usize>,
    /// Free blocks of each pool, large and small, by size.
    free: [BTreeSet<(u64, usize)>; 2],
    allocated: u64,
    reserved: u64,
}

impl Allocator {
    /// The bytes of the blocks that are handed out.
    pub const fn allocated(&self) -> u64 {
        self.allocated
    }

    /// The bytes of all segments. Nothing is given back, so this is also the most it ever was.
    pub const fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Hands out a block: the smallest free one that is large enough, or part of a new segment.
    pub fn allocate(&mut self, bytes: u64) -> BlockId {
        let size = bytes.max(1).div_ceil(GRAIN).saturating_mul(GRAIN);
        let small = size <= SMALL;
        let found = self.pool(small).range((size, 0)..).next().copied();
        let place = match found {
            Some(entry) => {
                self.pool(small).remove(&entry);
                entry.1
            }
            None => self.segment(size, small),
        };
        self.split(place, size);
        if let Some(block) = self.blocks.get_mut(place) {
            block.free = false;
            self.allocated = self.allocated.saturating_add(block.size);
        }
        BlockId(place)
    }

    /// Takes a block back and joins it with its free neighbours.
    pub fn free(&mut self, BlockId(mut place): BlockId) {
        let Some(block) = self.blocks.get_mut(place).filter(|block| !block.free) else { return };
        block.free = true;
        self.allocated = self.allocated.saturating_sub(block.size);
        let (before, after) = (block.before, block.after);
        if let Some(after) = after.filter(|after| self.is_free(*after)) {
            self.join(place, after);
        }
        if let Some(before) = before.filter(|before| self.is_free(*before)) {
            self.join(before, place);
            place = before;
        }
        if let Some(Block { size, small, .. }) = self.blocks.get(place).copied() {
            self.pool(small).insert((size, place));
        }
    }

    const fn pool(&mut self, small: bool) -> &mut BTreeSet<(u64, usize)> {
        let [large_pool, small_pool] = &mut self.free;
        if small { small_pool } else { large_pool }
    }

    fn is_free(&self, place: usize) -> bool {
        self.blocks.get(place).is_some_and(|block| block.free)
    }

    /// A new segment as one block.
    fn segment(&mut self, size: u64, small: bool) -> usize {
        let size = match size {
            _ if small => SMALL_SEGMENT,
            _ if size < OWN_SEGMENT => LARGE_SEGMENT,
            _ => size.div_ceil(SMALL_SEGMENT).saturating_mul(SMALL_SEGMENT),
        };
        self.reserved = self.reserved.saturating_add(size);
        self.place(Block { size, small, free: false, before: None, after: None })
    }

    fn place(&mut self, block: Block) -> usize {
        if let Some(place) = self.unused.pop()
            && let Some(entry) = self.blocks.get_mut(place)
        {
            *entry = block;
            return place;
        }
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// Cuts off what a request leaves of a block, where that is worth it.
    fn split(&mut self, place: usize, size: u64) {
        let Some(block) = self.blocks.get(place).copied() else { return };
        let rest = block.size - size;
        if !(if block.small { rest >= GRAIN } else { rest > SMALL }) {
            return;
        }
        let cut = Block { size: rest, free: true, before: Some(place), ..block };
        let cut = self.place(cut);
        self.link(block.after, |after| after.before = Some(cut));
        self.link(Some(place), |block| (block.size, block.after) = (size, Some(cut)));
        self.pool(block.small).insert((rest, cut));
    }

    fn link(&mut self, place: Option<usize>, change: impl FnOnce(&mut Block)) {
        if let Some(block) = place.and_then(|place| self.blocks.get_mut(place)) {
            change(block);
        }
    }

    /// Joins a block with the one after it; both are free or being freed, and neither is in a pool afterwards.
    fn join(&mut self, first: usize, second: usize) {
        let (Some(left), Some(right)) = (self.blocks.get(first).copied(), self.blocks.get(second).copied())
        else {
            return;
        };
        self.pool(left.small).remove(&(left.size, first));
        self.pool(left.small).remove(&(right.size, second));
        self.link(right.after, |after| after.before = Some(first));
        self.link(Some(first), |block| (block.size, block.after) = (left.size + right.size, right.after));
        self.unused.push(second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn small_requests_share_a_segment() {
        let mut allocator = Allocator::default();
        let first = allocator.allocate(1);
        allocator.allocate(513);
        assert_eq!((allocator.allocated(), allocator.reserved()), (512 + 1024, 2 * MIB));
        allocator.free(first);
        assert_eq!(allocator.allocated(), 1024);
        allocator.allocate(MIB);
        assert_eq!(allocator.reserved(), 2 * MIB);
    }

    #[test]
    fn a_small_rest_of_a_large_block_is_not_cut_off() {
        let mut allocator = Allocator::default();
        allocator.allocate(19 * MIB / 2);
        allocator.allocate(19 * MIB / 2);
        // What is left of the segment is one MiB, which counts as part of the second block.
        assert_eq!((allocator.allocated(), allocator.reserved()), (20 * MIB, 20 * MIB));
        allocator.allocate(11 * MIB);
        assert_eq!(allocator.reserved(), 20 * MIB + 12 * MIB);
    }

    #[test]
    fn what_is_given_back_is_joined_and_used_again() {
        let mut allocator = Allocator::default();
        let blocks = [3, 3, 3, 3].map(|mib| allocator.allocate(mib * MIB));
        for block in [blocks[0], blocks[2], blocks[1], blocks[3]] {
            allocator.free(block);
        }
        assert_eq!((allocator.allocated(), allocator.reserved()), (0, 20 * MIB));
        allocator.allocate(9 * MIB);
        assert_eq!((allocator.allocated(), allocator.reserved()), (9 * MIB, 20 * MIB));
        // A block is taken back once.
        allocator.free(blocks[0]);
        allocator.free(blocks[0]);
    }
}
