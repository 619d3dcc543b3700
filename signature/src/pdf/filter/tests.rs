use std::io::Read;

use super::*;

fn run(data: &[u8], filter: Filter) -> Vec<u8> {
    let mut out = Vec::new();
    decoder(Box::new(std::io::Cursor::new(data.to_vec())), &[filter], &Work::new(1 << 40))
        .read_to_end(&mut out)
        .unwrap();
    out
}

fn png(columns: usize) -> PredictorParams {
    PredictorParams { png: true, colors: 1, bits: 8, columns }
}

#[test]
fn ascii_filters() {
    assert_eq!(run(b"48 65 6C6c 6F7>", Filter::AsciiHex), b"Hellop");
    assert_eq!(run(b"87cURD]i,\"Ebo80~>", Filter::Ascii85), b"Hello World!");
    assert_eq!(run(b"z!!~>", Filter::Ascii85), [0, 0, 0, 0, 0]);
    assert_eq!(run(&[2, b'a', b'b', b'c', 254, b'x', 128, 9], Filter::RunLength), b"abcxxx");
}

#[test]
fn lzw_example_of_the_standard() {
    let data = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
    let filter = Filter::Lzw { early_change: true, predictor: None };
    assert_eq!(run(&data, filter), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
}

#[test]
fn lzw_long_data_crosses_every_code_width() {
    // A plain LZW encoder, written for this test only.
    let text: Vec<u8> = (0..60_000u32).map(|i| (i * i / 7 % 251) as u8).collect();
    let mut codes = std::collections::HashMap::new();
    let (mut bits, mut count, mut out) = (0u64, 0, Vec::new());
    let mut put = |code: u32, width: u32| {
        bits = bits << width | u64::from(code);
        count += width;
        while count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    };
    let width = |next: usize| 32 - (next as u32).leading_zeros();
    let (mut current, mut next) = (Vec::new(), 258usize);
    put(256, 9);
    let code_of = |codes: &std::collections::HashMap<Vec<u8>, usize>, s: &[u8]| match s {
        [byte] => *byte as usize,
        long => codes[long],
    };
    for byte in &text {
        let mut longer = current.clone();
        longer.push(*byte);
        if longer.len() == 1 || codes.contains_key(&longer) {
            current = longer;
            continue;
        }
        put(code_of(&codes, &current) as u32, width(next).max(9));
        codes.insert(longer, next);
        next += 1;
        if next == 4095 {
            put(256, 12);
            codes.clear();
            next = 258;
        }
        current = vec![*byte];
    }
    put(code_of(&codes, &current) as u32, width(next).max(9));
    put(257, width(next + 1).max(9));
    put(0, 8);
    assert_eq!(run(&out, Filter::Lzw { early_change: true, predictor: None }), text);
}

#[test]
fn flate_ignores_a_wrong_check_sum_and_reports_damage_after_the_good_part() {
    let text = b"some text ".repeat(5000);
    let mut data = deflate(&text).unwrap();
    *data.last_mut().unwrap() ^= 0xFF;
    assert_eq!(run(&data, Filter::Flate(None)), text);
    data.truncate(data.len() / 2);
    let mut out = Vec::new();
    let mut reader =
        decoder(Box::new(std::io::Cursor::new(data)), &[Filter::Flate(None)], &Work::new(1 << 40));
    assert_eq!(reader.read_to_end(&mut out).unwrap_err().kind(), std::io::ErrorKind::InvalidData);
    assert!(!out.is_empty() && text.starts_with(&out));
}

#[test]
fn what_comes_before_damage_does_not_depend_on_how_the_data_arrives() {
    struct Pieces(std::io::Cursor<Vec<u8>>, usize);
    impl Read for Pieces {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let most = buf.len().min(self.1);
            self.0.read(&mut buf[..most])
        }
    }
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, &[b'a'; 90_000]).unwrap();
    // Ends on a whole byte; a block of the reserved kind follows (RFC 1951, 3.2.3).
    std::io::Write::flush(&mut encoder).unwrap();
    let data = [encoder.get_ref().as_slice(), &[0b111; 30]].concat();
    for most in [1, 7, 100, usize::MAX] {
        let pieces = Pieces(std::io::Cursor::new(data.clone()), most);
        let mut out = Vec::new();
        let end = decoder(Box::new(pieces), &[Filter::Flate(None)], &Work::new(1 << 40))
            .read_to_end(&mut out);
        assert_eq!(end.unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(out.len(), 90_000, "in pieces of {most}");
    }
}

#[test]
fn png_rows_of_every_kind() {
    let rows: [&[u8]; 5] =
        [&[0, 1, 2, 3], &[1, 1, 1, 1], &[2, 1, 1, 1], &[3, 2, 2, 2], &[4, 5, 5, 5]];
    let data = deflate(&rows.concat()).unwrap();
    assert_eq!(
        run(&data, Filter::Flate(Some(png(3)))),
        [1, 2, 3, 1, 2, 3, 2, 3, 4, 3, 5, 6, 8, 13, 18]
    );
}

#[test]
fn tiff_rows_of_every_depth() {
    let row = |bits, colors, columns, data: &[u8]| {
        let params = PredictorParams { png: false, colors, bits, columns };
        run(&deflate(data).unwrap(), Filter::Flate(Some(params)))
    };
    assert_eq!(row(8, 1, 3, &[1, 1, 1, 5, 1, 1]), [1, 2, 3, 5, 6, 7]);
    assert_eq!(row(8, 2, 2, &[1, 10, 1, 10]), [1, 10, 2, 20]);
    assert_eq!(row(16, 1, 2, &[0, 255, 0, 1]), [0, 255, 1, 0]);
    assert_eq!(row(4, 1, 4, &[0x11, 0x1F]), [0x12, 0x32]);
    assert_eq!(row(1, 1, 8, &[0b1010_0001]), [0b1100_0001]);
}

#[test]
fn impossible_parameters_are_refused() {
    assert!(PredictorParams::new(12, 1, 8, 1 << 40).is_err());
    assert!(PredictorParams::new(12, 0, 8, 1).is_err());
    assert!(PredictorParams::new(12, 1, 7, 1).is_err());
    assert!(PredictorParams::new(7, 1, 8, 1).is_err());
    assert_eq!(PredictorParams::new(1, 0, 0, 0), Ok(None));
}
