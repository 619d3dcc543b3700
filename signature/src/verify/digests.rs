//! The digests of all signatures in one pass over the file.
//!
//! Signatures of one document cover nearly the same bytes: each one the file up to its own
//! `Contents`, and the little that follows in its revision. The running digest is forked at each
//! `Contents`, so that the file is hashed once, however many signatures it has.

use std::io;

use crate::crypto::HashAlgorithm;
use crate::pdf::{Source, for_each_window};

/// Hashed bytes may exceed the file's size by this factor; only hostile files need more.
const MAX_FACTOR: u64 = 8;
const MIN_ALLOWANCE: u64 = 16 << 20;

/// The bytes before `gap.0` and from `gap.1` to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Range {
    pub(crate) gap: (u64, u64),
    pub(crate) end: u64,
}

impl Range {
    /// The first `len` bytes.
    pub(crate) fn prefix(len: u64) -> Range {
        Range { gap: (len, len), end: len }
    }
}

/// Digests to take, and the taken ones.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    wanted: Vec<(HashAlgorithm, Range)>,
    taken: Vec<(HashAlgorithm, Range, Vec<u8>)>,
}

impl Digests {
    /// Asks for a digest.
    pub(crate) fn want(&mut self, hash: HashAlgorithm, range: Range) {
        if !self.wanted.contains(&(hash, range)) {
            self.wanted.push((hash, range));
        }
    }

    /// The digest, when it was asked for and taken.
    pub(crate) fn get(&self, hash: HashAlgorithm, range: Range) -> Option<&[u8]> {
        let found = self.taken.iter().find(|(h, r, _)| *h == hash && *r == range);
        found.map(|(_, _, digest)| digest.as_slice())
    }

    /// Takes every digest that was asked for. `observer` sees the bytes that are read on the way,
    /// with their offset: from the start of the file, in order, some of them more than once.
    ///
    /// # Errors
    /// When the source cannot be read, or the ranges add up to far more than the file; what
    /// `observer` reports.
    pub(crate) fn take(
        &mut self,
        source: &dyn Source,
        observer: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut allowance = source.len().saturating_mul(MAX_FACTOR).saturating_add(MIN_ALLOWANCE);
        for hash in HashAlgorithm::ACCEPTED {
            let mut ranges: Vec<Range> =
                self.wanted.iter().filter(|(h, _)| *h == hash).map(|(_, r)| *r).collect();
            ranges.sort_unstable();
            self.take_with(source, hash, &ranges, &mut allowance, observer)?;
        }
        Ok(())
    }

    fn take_with(
        &mut self,
        source: &dyn Source,
        hash: HashAlgorithm,
        ranges: &[Range],
        allowance: &mut u64,
        observer: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut running = hash.hasher();
        let mut at = 0;
        for range in ranges {
            let cost = (range.gap.0 - at).saturating_add(range.end.saturating_sub(range.gap.1));
            *allowance = allowance.checked_sub(cost).ok_or_else(|| {
                io::Error::other("the signatures cover far more bytes than the file has")
            })?;
            for_each_window(source, at, range.gap.0, |window| {
                running.update(window);
                observer(at, window)?;
                at += window.len() as u64;
                Ok(())
            })?;
            let mut fork = running.clone();
            for_each_window(source, range.gap.1, range.end, |window| {
                fork.update(window);
                Ok(())
            })?;
            self.taken.push((hash, *range, fork.finish()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forked_digests_are_those_of_the_ranges() {
        let data: Vec<u8> = (0..200_000u32).map(|n| (n % 251) as u8).collect();
        let mut digests = Digests::default();
        let ranges = [
            Range { gap: (150_000, 150_100), end: 199_000 },
            Range { gap: (10, 20), end: 30 },
            Range::prefix(0),
            Range::prefix(200_000),
        ];
        for range in ranges {
            digests.want(HashAlgorithm::Sha256, range);
            digests.want(HashAlgorithm::Sha512, range);
        }
        let mut seen = 0;
        let mut observe = |at: u64, bytes: &[u8]| {
            assert_eq!(bytes, &data[at as usize..at as usize + bytes.len()]);
            seen = seen.max(at + bytes.len() as u64);
            Ok(())
        };
        digests.take(&data, &mut observe).unwrap();
        assert_eq!(seen, 200_000);
        for range in ranges {
            let bytes = |r: std::ops::Range<u64>| &data[r.start as usize..r.end as usize];
            let whole = [bytes(0..range.gap.0), bytes(range.gap.1..range.end)].concat();
            for hash in [HashAlgorithm::Sha256, HashAlgorithm::Sha512] {
                assert_eq!(digests.get(hash, range), Some(hash.digest(&whole).as_slice()));
            }
        }
        assert_eq!(digests.get(HashAlgorithm::Sha384, ranges[0]), None);
    }

    #[test]
    fn ranges_beyond_reason_are_refused() {
        let data = vec![0; 20 << 20];
        let mut digests = Digests::default();
        for n in 0..20 {
            digests.want(HashAlgorithm::Sha256, Range { gap: (n, n + 2), end: 20 << 20 });
        }
        assert!(digests.take(&data, &mut |_, _| Ok(())).is_err());
    }
}
