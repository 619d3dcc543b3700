//! Small reads out of large blocks: comparing reads every object, and objects stand side by side.

use std::io;
use std::sync::{Mutex, PoisonError};

use crate::pdf::{SharedSource, Source};

const BLOCK: usize = 64 * 1024;
/// Two for objects and what they refer to, two for object streams and lengths elsewhere.
const BLOCKS: usize = 4;

/// A source that keeps the blocks that were read last.
pub(super) struct Cached {
    inner: SharedSource,
    blocks: Mutex<Vec<(u64, Vec<u8>)>>,
}

impl Cached {
    /// Sources in memory need no cache and are returned as they are.
    pub(super) fn over(inner: SharedSource) -> SharedSource {
        if inner.as_slice().is_some() {
            return inner;
        }
        std::sync::Arc::new(Cached { inner, blocks: Mutex::default() })
    }

    fn read_block(&self, start: u64) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.inner.len().saturating_sub(start)).unwrap_or(BLOCK);
        let mut block = vec![0; left.min(BLOCK)];
        let mut done = 0;
        while let Some(rest) = block.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.inner.read_at(start + done as u64, rest) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        block.truncate(done);
        Ok(block)
    }
}

impl Source for Cached {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        if buf.len() >= BLOCK {
            return self.inner.read_at(offset, buf);
        }
        let start = offset - offset % BLOCK as u64;
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let block = match blocks.iter().position(|(at, _)| *at == start) {
            Some(place) => blocks.remove(place),
            None => {
                blocks.truncate(BLOCKS - 1);
                (start, self.read_block(start)?)
            }
        };
        let from = usize::try_from(offset - start).unwrap_or(BLOCK);
        let found = block.1.get(from..).unwrap_or_default();
        let count = found.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..count), found.get(..count)) {
            to.copy_from_slice(from);
        }
        blocks.insert(0, block);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes without a slice, which are read a few at a time.
    struct Slow(Vec<u8>);

    impl Source for Slow {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
            let count = buf.len().min(777);
            self.0.read_at(offset, &mut buf[..count])
        }
    }

    #[test]
    fn reads_are_those_of_the_source() {
        let data: Vec<u8> = (0..300_001u32).map(|n| (n * 7 % 253) as u8).collect();
        let cached = Cached::over(std::sync::Arc::new(Slow(data.clone())));
        assert!(cached.as_slice().is_none());
        let mut at = 12_345u64;
        for round in 0..2000u64 {
            at = (at * 6_364_136_223 + round) % 300_100;
            let mut buf = vec![0; (round % 300) as usize + 1];
            let read = cached.read_at(at, &mut buf).unwrap();
            let from = (at as usize).min(data.len());
            assert_eq!(buf[..read], data[from..from + read]);
            assert_eq!(read == 0, from == data.len());
        }
    }
}
