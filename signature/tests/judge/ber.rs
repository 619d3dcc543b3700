//! DER rewritten as BER, the way streaming writers emit it.

use signdoc_signature::asn1::Reader;

/// Every constructed element with indefinite length, every octet string in two segments.
pub fn to_indefinite(der: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut reader = Reader::new(der);
    while !reader.is_empty() {
        let element = reader.any("der").unwrap();
        if element.tag == 0x04 && element.content.len() > 1 {
            let (first, second) = element.content.split_at(element.content.len() / 2);
            out.extend([0x24, 0x80]);
            for segment in [first, second] {
                out.extend(signdoc_signature::asn1::writer::octets(segment));
            }
            out.extend([0, 0]);
        } else if element.tag & 0x20 != 0 {
            out.extend([element.tag, 0x80]);
            out.extend(to_indefinite(element.content));
            out.extend([0, 0]);
        } else {
            out.extend(element.raw);
        }
    }
    out
}
