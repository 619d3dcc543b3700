//! Random-looking numbers that follow from a seed.

use std::convert::Infallible;

use rand_core::{TryCryptoRng, TryRng};
use sha2::{Digest, Sha256};

/// SHA-256 over a label and a counter. Called a cryptographic generator only because the key
/// generators ask for the marker: whoever knows the label knows every number.
pub(super) struct SeededRng {
    key: [u8; 32],
    counter: u64,
    left: Vec<u8>,
}

impl SeededRng {
    pub(super) fn new(label: &[u8]) -> Self {
        Self { key: Sha256::digest(label).into(), counter: 0, left: Vec::new() }
    }

    fn fill(&mut self, target: &mut [u8]) {
        for byte in target {
            if self.left.is_empty() {
                let mut hasher = Sha256::new();
                hasher.update(self.key);
                hasher.update(self.counter.to_be_bytes());
                self.counter += 1;
                self.left = hasher.finalize().to_vec();
            }
            *byte = self.left.pop().unwrap_or_default();
        }
    }
}

impl TryRng for SeededRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        Ok(u32::from_be_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        Ok(u64::from_be_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        self.fill(target);
        Ok(())
    }
}

impl TryCryptoRng for SeededRng {}
