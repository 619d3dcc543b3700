//! Writing objects (ISO 32000-2, 7.3).

use std::io::Write;

use super::lexer::is_regular;
use super::object::{Dict, Name, Object, PdfString};

/// Appends the object in PDF notation. A stream, whose data stands elsewhere, is written as its
/// dictionary only: callers add the data.
pub(crate) fn write_object(object: &Object, out: &mut Vec<u8>) {
    match object {
        Object::Null => out.extend(b"null"),
        Object::Bool(value) => out.extend(if *value { &b"true"[..] } else { b"false" }),
        Object::Int(value) => write_text(out, format_args!("{value}")),
        Object::Real(value) => write_real(*value, out),
        Object::Name(name) => write_name(name, out),
        Object::String(string) => write_string(string, out),
        Object::Array(values) => write_array(values, out),
        Object::Dict(dict) => write_dict(dict, out),
        Object::Stream(stream) => write_dict(&stream.dict, out),
        Object::Ref(reference) => write_text(out, format_args!("{reference}")),
    }
}

/// Appends formatted text.
pub(crate) fn write_text(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into a vector cannot fail.
    let _ = out.write_fmt(text);
}

/// Never an exponent: PDF knows none.
fn write_real(value: f64, out: &mut Vec<u8>) {
    if !value.is_finite() {
        out.push(b'0');
    } else if value.fract() == 0.0 && value.abs() < 1e15 {
        // A real stays a real.
        write_text(out, format_args!("{value:.1}"));
    } else {
        write_text(out, format_args!("{value}"));
    }
}

pub(crate) fn write_name(name: &Name, out: &mut Vec<u8>) {
    out.push(b'/');
    for byte in name.as_bytes() {
        if is_regular(*byte) && (0x21..=0x7E).contains(byte) && *byte != b'#' {
            out.push(*byte);
        } else {
            write_text(out, format_args!("#{byte:02X}"));
        }
    }
}

fn write_string(string: &PdfString, out: &mut Vec<u8>) {
    if string.hex {
        out.push(b'<');
        write_hex(&string.bytes, out);
        out.push(b'>');
        return;
    }
    out.push(b'(');
    for byte in &string.bytes {
        match byte {
            b'(' | b')' | b'\\' => out.extend([b'\\', *byte]),
            b'\r' => out.extend(b"\\r"),
            b'\n' => out.extend(b"\\n"),
            other => out.push(*other),
        }
    }
    out.push(b')');
}

/// Appends the bytes as upper-case hexadecimal digits.
pub(crate) fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
    out.extend(bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]));
}

fn write_array(values: &[Object], out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        write_object(value, out);
    }
    out.push(b']');
}

fn write_dict(dict: &Dict, out: &mut Vec<u8>) {
    out.extend(b"<<");
    write_entries(dict, out);
    out.extend(b">>");
}

/// The entries without the brackets around them.
pub(crate) fn write_entries(dict: &Dict, out: &mut Vec<u8>) {
    for entry in dict.iter() {
        write_name(&entry.key, out);
        let is_separate = matches!(
            entry.value,
            Object::Name(_) | Object::String(_) | Object::Array(_) | Object::Dict(_)
        );
        if !is_separate {
            out.push(b' ');
        }
        write_object(&entry.value, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::Limits;
    use super::super::parser::Parser;
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text = br"<</A#20/B#2F/C (a\(b\)\\\r\n\377)/D<00ff>/E[1 -2.5 .000001 true null 7 0 R]/F<</G 1>>>>";
        let read =
            |bytes: &[u8]| Parser::new(bytes, true, None, &Limits::default()).value().unwrap();
        let object = read(text);
        let mut out = Vec::new();
        write_object(&object, &mut out);
        assert_eq!(read(&out), object);
        assert_eq!(
            out,
            b"<</A#20/B#2F/C(a\\(b\\)\\\\\\r\\n\xFF)/D<00FF>/E[1 -2.5 0.000001 true null 7 0 R]/F<</G 1>>>>"
        );
    }

    #[test]
    fn numbers_never_have_exponents() {
        let mut out = Vec::new();
        for value in [1e20, 1e-9, -0.25, 3.0, f64::NAN] {
            write_real(value, &mut out);
            out.push(b' ');
        }
        assert_eq!(out, b"100000000000000000000 0.000000001 -0.25 3.0 0 ");
    }
}
