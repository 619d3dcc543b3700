//! From BER to DER: indefinite lengths, constructed strings and padded lengths are rewritten;
//! everything else is copied as it is.
//!
//! Real signatures arrive this way: streaming writers emit indefinite lengths throughout.

use super::writer::push_header;
use super::{BIT_STRING, Malformed};

/// Deepest nesting that is followed.
pub const MAX_DEPTH: usize = 64;
/// Largest input that is read, in bytes.
pub const MAX_INPUT: usize = 16 << 20;

const WHAT: &str = "ber";
const CONSTRUCTED: u8 = 0x20;

/// One BER element as DER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcoded {
    /// The element in DER.
    pub der: Vec<u8>,
    /// How many bytes of the input the element took.
    pub consumed: usize,
    /// True when the input was not DER already.
    pub changed: bool,
}

/// Reads one BER element from the start of `input` and returns it as DER.
///
/// Members of a SET keep their order, and contents of primitive elements are never touched.
///
/// # Errors
/// When the input is larger than [`MAX_INPUT`], nested deeper than [`MAX_DEPTH`], cut off, or no
/// BER.
pub fn to_der(input: &[u8]) -> Result<Transcoded, Malformed> {
    if input.len() > MAX_INPUT {
        let why = format!("{} bytes are more than the limit of {MAX_INPUT}", input.len());
        return Err(Malformed::new(WHAT, why));
    }
    let mut input_left = input;
    let mut changed = false;
    let mut der = Vec::with_capacity(input.len().min(1 << 16));
    element(&mut input_left, 0, &mut der, &mut changed)?;
    Ok(Transcoded { der, consumed: input.len() - input_left.len(), changed })
}

struct Header {
    tag: u8,
    /// Nothing for an indefinite length.
    len: Option<usize>,
    shortest: bool,
}

/// Appends one element to `out`.
fn element(
    input: &mut &[u8],
    depth: usize,
    out: &mut Vec<u8>,
    changed: &mut bool,
) -> Result<(), Malformed> {
    let header = header(input, depth)?;
    *changed |= !header.shortest;
    let universal_string = header.tag & 0xc0 == 0 && is_string(header.tag & !CONSTRUCTED);
    if header.tag & CONSTRUCTED == 0 {
        let content = take(input, header.primitive_len()?)?;
        push_header(out, header.tag, content.len());
        out.extend_from_slice(content);
        return Ok(());
    }
    *changed |= header.len.is_none() || universal_string;
    let start = out.len();
    if universal_string {
        let tag = header.tag & !CONSTRUCTED;
        let mut unused = 0;
        let bits = tag == BIT_STRING;
        out.extend(bits.then_some(0));
        segments(input, &header, depth, out, &mut unused)?;
        if let Some(first) = out.get_mut(start).filter(|_| bits) {
            *first = unused;
        }
        insert_header(out, start, tag);
        return Ok(());
    }
    let mut body = header.body(input)?;
    while body.more(input)? {
        element(body.source(input), depth + 1, out, changed)?;
    }
    insert_header(out, start, header.tag);
    Ok(())
}

/// Appends the contents of the segments of a constructed string (X.690, 8.6.4 and 8.7.3).
fn segments(
    input: &mut &[u8],
    parent: &Header,
    depth: usize,
    out: &mut Vec<u8>,
    unused: &mut u8,
) -> Result<(), Malformed> {
    let tag = parent.tag & !CONSTRUCTED;
    let mut body = parent.body(input)?;
    while body.more(input)? {
        let source = body.source(input);
        let header = header(source, depth + 1)?;
        if header.tag & !CONSTRUCTED != tag {
            let why = format!("has a segment with tag {:#04x} in a {tag:#04x} string", header.tag);
            return Err(Malformed::new(WHAT, why));
        }
        if header.tag & CONSTRUCTED != 0 {
            segments(source, &header, depth + 1, out, unused)?;
            continue;
        }
        let content = take(source, header.primitive_len()?)?;
        match content.split_first() {
            _ if tag != BIT_STRING => out.extend_from_slice(content),
            Some((next, bits)) if *unused == 0 && *next < 8 => {
                *unused = *next;
                out.extend_from_slice(bits);
            }
            _ => return Err(Malformed::new(WHAT, "has a bit string with unused bits inside")),
        }
    }
    Ok(())
}

/// The members of a constructed element: a slice of known length, or the input up to an end mark.
enum Body<'a> {
    Known(&'a [u8]),
    UntilEndMark,
}

impl<'a> Body<'a> {
    fn more(&mut self, input: &mut &'a [u8]) -> Result<bool, Malformed> {
        match self {
            Self::Known(content) => Ok(!content.is_empty()),
            Self::UntilEndMark => match input.strip_prefix(&[0, 0]) {
                Some(rest) => {
                    *input = rest;
                    Ok(false)
                }
                None if input.is_empty() => Err(Malformed::new(WHAT, "has no end mark")),
                None => Ok(true),
            },
        }
    }

    fn source<'s>(&'s mut self, input: &'s mut &'a [u8]) -> &'s mut &'a [u8] {
        match self {
            Self::Known(content) => content,
            Self::UntilEndMark => input,
        }
    }
}

impl Header {
    fn primitive_len(&self) -> Result<usize, Malformed> {
        self.len.ok_or_else(|| Malformed::new(WHAT, "gives a primitive element no length"))
    }

    fn body<'a>(&self, input: &mut &'a [u8]) -> Result<Body<'a>, Malformed> {
        match self.len {
            Some(len) => take(input, len).map(Body::Known),
            None => Ok(Body::UntilEndMark),
        }
    }
}

/// Universal string types, whose constructed form is a chain of segments (X.690, 8.14 and 8.21).
fn is_string(tag: u8) -> bool {
    matches!(tag, 3 | 4 | 12 | 18..=28 | 30)
}

/// Puts tag and length before what was written since `start`.
fn insert_header(out: &mut Vec<u8>, start: usize, tag: u8) {
    let mut header = Vec::with_capacity(8);
    push_header(&mut header, tag, out.len() - start);
    out.splice(start..start, header);
}

fn take<'a>(input: &mut &'a [u8], len: usize) -> Result<&'a [u8], Malformed> {
    let Some((taken, rest)) = input.split_at_checked(len) else {
        let why = format!("claims {len} bytes but only {} are left", input.len());
        return Err(Malformed::new(WHAT, why));
    };
    *input = rest;
    Ok(taken)
}

fn header(input: &mut &[u8], depth: usize) -> Result<Header, Malformed> {
    if depth > MAX_DEPTH {
        return Err(Malformed::new(WHAT, format!("is nested deeper than {MAX_DEPTH}")));
    }
    let (tag, first) = match take(input, 2)? {
        [tag, first] => (*tag, *first),
        _ => return Err(Malformed::new(WHAT, "is cut off")),
    };
    if tag & 0x1f == 0x1f {
        return Err(Malformed::new(WHAT, "has a tag number above 30"));
    }
    if tag == 0 {
        return Err(Malformed::new(WHAT, "has an end mark where an element was expected"));
    }
    match first {
        0x80 => Ok(Header { tag, len: None, shortest: true }),
        0..0x80 => Ok(Header { tag, len: Some(usize::from(first)), shortest: true }),
        _ => {
            let digits = take(input, usize::from(first & 0x7f))?;
            let len = digits.iter().try_fold(0_usize, |sum, byte| {
                sum.checked_mul(256).map(|sum| sum | usize::from(*byte))
            });
            let len = len.ok_or_else(|| Malformed::new(WHAT, "has a length that is too large"))?;
            let shortest = len >= 0x80 && digits.first() != Some(&0);
            Ok(Header { tag, len: Some(len), shortest })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn der_stays_as_it_is() {
        let der = [0x30, 6, 0x02, 1, 5, 0x24 & 0xdf, 1, 9];
        let out = to_der(&der).unwrap();
        assert_eq!(out, Transcoded { der: der.to_vec(), consumed: 8, changed: false });
    }

    #[test]
    fn indefinite_lengths_and_constructed_strings_are_rewritten() {
        let ber =
            [0x30, 0x80, 0xa0, 0x80, 0x24, 0x80, 0x04, 2, 1, 2, 0x04, 1, 3, 0, 0, 0, 0, 0, 0, 0xee];
        let out = to_der(&ber).unwrap();
        assert_eq!(out.der, [0x30, 7, 0xa0, 5, 0x04, 3, 1, 2, 3]);
        assert_eq!(out.consumed, ber.len() - 1);
        assert!(out.changed);
        let bits = to_der(&[0x23, 7, 0x03, 2, 0, 0xff, 0x03, 1, 0]).unwrap();
        assert_eq!(bits.der, [0x03, 2, 0, 0xff]);
    }

    #[test]
    fn padded_lengths_are_shortened() {
        let out = to_der(&[0x30, 0x82, 0, 3, 0x02, 1, 1]).unwrap();
        assert_eq!((out.der.as_slice(), out.changed), (&[0x30, 3, 0x02, 1, 1][..], true));
    }

    #[test]
    fn what_is_no_ber_is_refused() {
        let deep = [0x30, 0x80].repeat(100_000);
        let cases: [&[u8]; 9] = [
            &[],
            &[0x30],
            &[0, 0],
            &[0x04, 0x80, 0, 0],
            &[0x30, 0x80, 0x02, 1, 1],
            &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
            &[0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1],
            &[0x24, 3, 0x02, 1, 1],
            &deep,
        ];
        for bytes in cases {
            assert!(to_der(bytes).is_err());
        }
    }
}
