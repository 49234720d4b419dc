//! A size in memory.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A number of bytes. Shown to people as GiB (2^30) or MiB (2^20).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// This many MiB (2^20 bytes).
    pub const fn mib(mib: u64) -> Self {
        Self(mib.saturating_mul(1 << 20))
    }

    /// This many GiB (2^30 bytes).
    pub const fn gib(gib: u64) -> Self {
        Self(gib.saturating_mul(1 << 30))
    }

    /// As a number of GiB.
    #[allow(clippy::cast_precision_loss, reason = "shown with two digits")]
    pub fn as_gib(self) -> f64 {
        self.0 as f64 / f64::from(1 << 30)
    }

    /// What is left after taking `other` away; nothing when that is more.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Bytes {
    /// Three digits or more: 13.49 GiB, 475 MiB, 4.76 MiB.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = self.as_gib() * 1024.0;
        match mib {
            _ if self.0 == 0 => write!(f, "0 MiB"),
            _ if mib >= 1024.0 => write!(f, "{:.2} GiB", mib / 1024.0),
            _ if mib >= 200.0 => write!(f, "{mib:.0} MiB"),
            _ if mib >= 10.0 => write!(f, "{mib:.1} MiB"),
            _ => write!(f, "{mib:.2} MiB"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        let shown = |bytes: u64| Bytes(bytes).to_string();
        assert_eq!(shown(15_231_233_024), "14.19 GiB");
        assert_eq!(shown(497_759_232), "475 MiB");
        assert_eq!(shown(163_577_856), "156.0 MiB");
        assert_eq!(shown(4_404_019), "4.20 MiB");
    }
}
