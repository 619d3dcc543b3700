//! TIFF and PNG predictors (ISO 32000-2, 7.4.4.4).

use std::io;

use super::{BoxRead, Decode, Input, STEP, damaged};

/// The `DecodeParms` of a predictor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PredictorParams {
    pub(crate) png: bool,
    pub(crate) colors: usize,
    pub(crate) bits: usize,
    pub(crate) columns: usize,
}

impl PredictorParams {
    /// Checks the values of the dictionary; `Ok(None)` where no predictor is used.
    pub(crate) fn new(
        predictor: i64,
        colors: i64,
        bits: i64,
        columns: i64,
    ) -> Result<Option<Self>, &'static str> {
        let in_range =
            |value: i64, max: usize| usize::try_from(value).ok().filter(|v| (1..=max).contains(v));
        let png = match predictor {
            1 => return Ok(None),
            2 => false,
            10..=15 => true,
            _ => return Err("unknown predictor"),
        };
        let colors = in_range(colors, 64).ok_or("predictor with an impossible Colors")?;
        let columns = in_range(columns, 1 << 20).ok_or("predictor with an impossible Columns")?;
        if !matches!(bits, 1 | 2 | 4 | 8 | 16) {
            return Err("predictor with an impossible BitsPerComponent");
        }
        Ok(Some(PredictorParams { png, colors, bits: bits as usize, columns }))
    }

    fn row_bytes(&self) -> usize {
        (self.colors * self.bits * self.columns).div_ceil(8)
    }
}

pub(super) struct Predictor {
    input: Input,
    params: PredictorParams,
    above: Vec<u8>,
    row: Vec<u8>,
}

impl Predictor {
    pub(super) fn new(inner: BoxRead, params: &PredictorParams) -> Self {
        let above = if params.png { vec![0; params.row_bytes()] } else { Vec::new() };
        Predictor { input: Input::new(inner), params: params.clone(), above, row: Vec::new() }
    }

    /// Reads one row; a last short one is kept as it is.
    fn read_row(&mut self) -> io::Result<()> {
        let want = self.params.row_bytes();
        self.row.clear();
        while self.row.len() < want {
            let chunk = self.input.chunk()?;
            if chunk.is_empty() {
                break;
            }
            let count = chunk.len().min(want - self.row.len());
            self.row.extend(chunk.iter().take(count));
            self.input.consume(count);
        }
        Ok(())
    }

    fn png_row(&mut self) -> io::Result<bool> {
        let Some(kind) = self.input.next()? else { return Ok(false) };
        self.read_row()?;
        if self.row.is_empty() {
            return Ok(false);
        }
        let step = (self.params.colors * self.params.bits).div_ceil(8);
        unfilter(kind, &mut self.row, &self.above, step)?;
        let len = self.row.len();
        if let Some(above) = self.above.get_mut(..len) {
            above.copy_from_slice(&self.row);
        }
        Ok(true)
    }

    fn tiff_row(&mut self) -> io::Result<bool> {
        self.read_row()?;
        if self.row.is_empty() {
            return Ok(false);
        }
        match self.params.bits {
            8 => add_bytes(&mut self.row, self.params.colors),
            16 => add_words(&mut self.row, self.params.colors),
            bits => add_bits(&mut self.row, self.params.colors, bits),
        }
        Ok(true)
    }
}

impl Decode for Predictor {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        while out.len() < STEP {
            let more = if self.params.png { self.png_row()? } else { self.tiff_row()? };
            if !more {
                return Ok(false);
            }
            out.extend(&self.row);
        }
        Ok(true)
    }
}

fn unfilter(kind: u8, row: &mut [u8], above: &[u8], step: usize) -> io::Result<()> {
    if kind == 0 {
        return Ok(());
    }
    if kind > 4 {
        return Err(damaged("unknown png row filter"));
    }
    for i in 0..row.len() {
        let earlier = i.checked_sub(step);
        let left = earlier.and_then(|j| row.get(j)).copied().unwrap_or(0);
        let up = above.get(i).copied().unwrap_or(0);
        let corner = earlier.and_then(|j| above.get(j)).copied().unwrap_or(0);
        let add = match kind {
            1 => left,
            2 => up,
            3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
            _ => paeth(left, up, corner),
        };
        if let Some(byte) = row.get_mut(i) {
            *byte = byte.wrapping_add(add);
        }
    }
    Ok(())
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let estimate = a + b - c;
    let distance = |v: i16| (estimate - v).abs();
    if distance(a) <= distance(b) && distance(a) <= distance(c) {
        left
    } else if distance(b) <= distance(c) {
        up
    } else {
        corner
    }
}

fn add_bytes(row: &mut [u8], colors: usize) {
    for i in colors..row.len() {
        let left = row.get(i - colors).copied().unwrap_or(0);
        if let Some(byte) = row.get_mut(i) {
            *byte = byte.wrapping_add(left);
        }
    }
}

fn add_words(row: &mut [u8], colors: usize) {
    let words = row.as_chunks_mut::<2>().0;
    for i in colors..words.len() {
        let left = words.get(i - colors).copied().map_or(0, u16::from_be_bytes);
        if let Some(word) = words.get_mut(i) {
            *word = u16::from_be_bytes(*word).wrapping_add(left).to_be_bytes();
        }
    }
}

fn add_bits(row: &mut [u8], colors: usize, bits: usize) {
    let per_byte = 8 / bits;
    let mask = (1u16 << bits) as u8 - 1;
    let shift = |i: usize| 8 - bits * (i % per_byte + 1);
    let mut left = vec![0u8; colors];
    for i in 0..row.len() * per_byte {
        let Some(byte) = row.get_mut(i / per_byte) else { return };
        let Some(sum) = left.get_mut(i % colors) else { return };
        *sum = sum.wrapping_add(*byte >> shift(i)) & mask;
        *byte = *byte & !(mask << shift(i)) | *sum << shift(i);
    }
}
