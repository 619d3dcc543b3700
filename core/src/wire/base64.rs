//! Base64 as in RFC 4648 section 4: written strictly, read with tolerance for what writers of
//! JSON do to it (line breaks and blanks inside, padding left out).

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

use super::pool::{BufferPool, Lease, WINDOW};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
type Engine = base64::engine::Simd;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Engine = base64::engine::GeneralPurpose;

/// Padding never reaches the engine on reading: only whole quads do.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::RequireNone);
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    return Engine::standard(config);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return Engine::new(&base64::alphabet::STANDARD, config);
});

/// Base64 characters of `len` bytes, padding included (RFC 4648 section 4). Saturates at
/// [`u64::MAX`].
pub fn encoded_len(len: u64) -> u64 {
    len.div_ceil(3).saturating_mul(4)
}

/// Encodes `raw` with padding into the front of `out` and returns the characters written, or
/// `None` when `out` is too small. Only the last window of a document may have a length that is
/// no multiple of 3.
pub(crate) fn encode_window(raw: &[u8], out: &mut [u8]) -> Option<usize> {
    ENGINE.encode_slice(raw, out).ok()
}

/// Why decoding stopped: the text, or whoever receives the bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DecodeError<E> {
    /// No base64 at this offset of the whole answer.
    Invalid(u64),
    /// The receiver refused.
    Receiver(E),
}

/// Decodes one base64 text that arrives in runs of any length, and hands the bytes over in full
/// windows. After [`Decoder::finish`] it is ready for the next text.
pub(crate) struct Decoder {
    out: Lease,
    /// Values of the symbols of the open quad, 6 bits each.
    quad: u32,
    symbols: u8,
    padding: u8,
    /// Where the last symbol of the open quad stood.
    last_symbol_at: u64,
    /// Bytes of text that were looked at, each as often as it was.
    #[cfg(test)]
    looked_at: usize,
}

impl Decoder {
    pub(crate) fn new(pool: &BufferPool) -> Self {
        Self {
            out: pool.take(),
            quad: 0,
            symbols: 0,
            padding: 0,
            last_symbol_at: 0,
            #[cfg(test)]
            looked_at: 0,
        }
    }

    fn look_at(&mut self, _bytes: usize) {
        #[cfg(test)]
        {
            self.looked_at += _bytes;
        }
    }

    /// Takes `run`, whose first byte stands at offset `at` of the whole answer.
    pub(crate) fn feed<E>(
        &mut self,
        run: &[u8],
        at: u64,
        receive: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), DecodeError<E>> {
        let mut done = 0;
        while done < run.len() {
            if self.symbols == 0 && self.padding == 0 {
                done += self.feed_quads(run.get(done..).unwrap_or_default(), receive)?;
            }
            done +=
                self.feed_bytes(run.get(done..).unwrap_or_default(), at + done as u64, receive)?;
        }
        Ok(())
    }

    /// Decodes whole quads from the front of `run` with the engine and returns the bytes used. It
    /// stops before the first quad that is not four symbols.
    fn feed_quads<E>(
        &mut self,
        run: &[u8],
        receive: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<usize, DecodeError<E>> {
        // The engine would refuse a padded quad only after decoding the whole window.
        let padding = run.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
        let end = (run.len() - padding) & !3;
        let mut done = 0;
        while done < end {
            let room = self.make_room(receive)?;
            let take = (end - done).min(room / 3 * 4);
            let quads = run.get(done..done + take).unwrap_or_default();
            let good = self.decode_quads(quads);
            done += good;
            if good < take {
                break;
            }
        }
        Ok(done)
    }

    /// Decodes `quads` (whole quads that fit) up to the first bad one; returns the bytes used.
    fn decode_quads(&mut self, quads: &[u8]) -> usize {
        let good = match ENGINE.decode_slice(quads, self.out.free()) {
            Ok(count) => {
                self.out.advance(count);
                self.look_at(quads.len());
                return quads.len();
            }
            Err(error) => good_prefix(&error, quads.len()),
        };
        // The bad quad, and what is before it twice.
        self.look_at(good * 2 + 4);
        // The engine promises nothing about its output after an error, so the good part is done
        // again. This happens once per blank or end of text, not per byte.
        let Some(prefix) = quads.get(..good) else { return 0 };
        match ENGINE.decode_slice(prefix, self.out.free()) {
            Ok(count) => {
                self.out.advance(count);
                good
            }
            Err(_) => 0,
        }
    }

    /// Takes bytes one by one until a quad is complete and no blank follows.
    fn feed_bytes<E>(
        &mut self,
        run: &[u8],
        at: u64,
        receive: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<usize, DecodeError<E>> {
        let mut done = 0;
        for &byte in run {
            self.look_at(1);
            if is_blank(byte) {
                done += 1;
                continue;
            }
            if done > 0 && self.symbols == 0 && self.padding == 0 {
                break;
            }
            self.feed_byte(byte, at + done as u64, receive)?;
            done += 1;
        }
        Ok(done)
    }

    fn feed_byte<E>(
        &mut self,
        byte: u8,
        at: u64,
        receive: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), DecodeError<E>> {
        if byte == b'=' {
            if self.symbols < 2 || self.symbols + self.padding >= 4 {
                return Err(DecodeError::Invalid(at));
            }
            self.padding += 1;
            return Ok(());
        }
        let value = symbol_value(byte).filter(|_| self.padding == 0);
        let value = value.ok_or(DecodeError::Invalid(at))?;
        self.quad = self.quad << 6 | value;
        self.symbols += 1;
        self.last_symbol_at = at;
        if self.symbols == 4 {
            self.make_room(receive)?;
            let [_, bytes @ ..] = self.quad.to_be_bytes();
            self.out.push(&bytes);
            (self.quad, self.symbols) = (0, 0);
        }
        Ok(())
    }

    /// Ends the text at offset `at`: decodes a last, shorter quad and hands over what is left.
    pub(crate) fn finish<E>(
        &mut self,
        at: u64,
        receive: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), DecodeError<E>> {
        let symbols = u32::from(self.symbols);
        if symbols == 1 {
            return Err(DecodeError::Invalid(at));
        }
        if symbols > 1 {
            let unused = symbols * 6 % 8;
            if self.quad & ((1 << unused) - 1) != 0 {
                return Err(DecodeError::Invalid(self.last_symbol_at));
            }
            self.make_room(receive)?;
            let [_, bytes @ ..] = (self.quad << (24 - symbols * 6)).to_be_bytes();
            self.out.push(bytes.get(..symbols as usize - 1).unwrap_or_default());
        }
        self.reset();
        self.flush(receive)
    }

    /// Hands over the bytes that are decoded so far. Bytes that are refused are not offered again.
    pub(crate) fn flush<E>(
        &mut self,
        receive: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), DecodeError<E>> {
        if self.out.filled() == 0 {
            return Ok(());
        }
        let received = receive(self.out.as_ref());
        self.out.clear();
        received.map_err(DecodeError::Receiver)
    }

    /// Free bytes of the window, at least 3: a full window is handed over first.
    fn make_room<E>(
        &mut self,
        receive: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<usize, DecodeError<E>> {
        if self.out.room(WINDOW) < 3 {
            self.flush(receive)?;
        }
        Ok(self.out.room(WINDOW))
    }

    fn reset(&mut self) {
        (self.quad, self.symbols, self.padding) = (0, 0, 0);
    }
}

/// Length of the whole quads before the one that the engine refused.
fn good_prefix(error: &base64::DecodeSliceError, len: usize) -> usize {
    use base64::{DecodeError, DecodeSliceError};
    let at = match error {
        DecodeSliceError::DecodeError(DecodeError::InvalidByte(at, _)) => *at,
        // Everything else the engine can say of whole quads concerns the last one.
        _ => len.saturating_sub(4),
    };
    at.min(len) & !3
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn symbol_value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes looked at while `text` is decoded in runs of `run` bytes, and whether it is base64.
    fn work(text: &[u8], run: usize) -> (usize, bool) {
        let mut decoder = Decoder::new(&BufferPool::new());
        let mut receive = |_: &[u8]| Ok::<(), ()>(());
        let mut at = 0;
        for piece in text.chunks(run) {
            if decoder.feed(piece, at, &mut receive).is_err() {
                return (decoder.looked_at, false);
            }
            at += piece.len() as u64;
        }
        let ended = decoder.finish(at, &mut receive).is_ok();
        (decoder.looked_at, ended)
    }

    #[test]
    fn hostile_texts_take_linear_work() {
        let long = WINDOW / 3 * 4;
        let padded = format!("{}=", "Q".repeat(long - 1));
        // What makes the fast path give up again and again; the last three are no base64.
        let patterns: [(&str, bool); 8] = [
            (" ", true),
            ("Q ", true),
            ("QUJD\n", true),
            ("QUJDQUJD\r\n", true),
            ("QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD QUJDQUJDQUJD", true),
            ("QUJDQQ==", false),
            (&padded, false),
            ("QUJD*", false),
        ];
        for (pattern, good) in patterns {
            for run in [1, 7, 4096, usize::MAX] {
                let text = |size: usize| pattern.repeat(size.div_ceil(pattern.len()));
                let (small, large) = (text(200_000), text(800_000));
                let (once, ended) = work(small.as_bytes(), run);
                let (four, _) = work(large.as_bytes(), run);
                let shown = pattern.get(..8).unwrap_or(pattern);
                assert_eq!(ended, good, "{shown:?}");
                // no byte more than a few times, whatever the length of the text
                assert!(once <= 4 * small.len() + 64, "{shown:?} {run}: {once}");
                assert!(four <= 4 * large.len() + 64, "{shown:?} {run}: {four}");
                assert!(!good || once >= small.len(), "{shown:?} {run}: {once} is not all of it");
            }
        }
    }
}
