//! Chance that can be had again: the same seed gives the same choices.

use handraise_broker::{RealWorld, World};

/// A source of choices (`SplitMix64`). Not for secrets.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// Choices that follow from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed nobody chose. Whoever uses it prints it.
    #[must_use]
    pub fn any_seed() -> u64 {
        let [a, b, c, d, ..] = RealWorld.random();
        u32::from_le_bytes([a, b, c, d]).into()
    }

    /// Choices about one thing: the same whenever and by whomever they are made, so that tasks that
    /// run side by side do not have to agree.
    #[must_use]
    pub fn about(seed: u64, thing: &str) -> Self {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = thing.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        Self(seed ^ hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when there is none.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// True once in so many times.
    pub fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// One of several.
    pub fn pick<'a, T: ?Sized>(&mut self, several: &[&'a T]) -> &'a T {
        several[self.below(several.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_choices() {
        let choices = |mut chance: Chance| (0..20).map(|_| chance.below(100)).collect::<Vec<_>>();
        assert_eq!(choices(Chance::new(7)), choices(Chance::new(7)));
        assert_ne!(choices(Chance::new(7)), choices(Chance::new(8)));
        assert_eq!(choices(Chance::about(7, "a")), choices(Chance::about(7, "a")));
        assert_ne!(choices(Chance::about(7, "a")), choices(Chance::about(7, "b")));
    }
}
