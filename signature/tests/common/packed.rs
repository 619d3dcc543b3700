//! Files whose objects lie in object streams, revision after revision, of any size.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A file in the making.
#[derive(Clone)]
pub struct Packed {
    pub bytes: Vec<u8>,
    /// The next object number for streams of the structure.
    next: u32,
    previous: Option<usize>,
}

type Rows = Vec<(u32, [u32; 3])>;

pub fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

impl Packed {
    /// An empty file; streams of the structure get numbers from `next` on.
    pub fn new(next: u32) -> Packed {
        Packed { bytes: b"%PDF-1.7\n".to_vec(), next, previous: None }
    }

    /// Adds a revision: objects of their own, and streams of objects, each with so many spaces
    /// behind it.
    pub fn revision(
        &mut self,
        plain: &[(u32, String)],
        streams: &[Vec<(u32, String)>],
        padding: usize,
    ) {
        let mut rows: Rows = Vec::new();
        for (number, body) in plain {
            rows.push((*number, [1, self.bytes.len() as u32, 0]));
            self.bytes.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
        }
        for objects in streams {
            self.stream(objects, padding, &mut rows);
        }
        self.section(rows);
    }

    fn stream(&mut self, objects: &[(u32, String)], padding: usize, rows: &mut Rows) {
        let number = self.number();
        let (mut index, mut data) = (String::new(), String::new());
        for (place, (object, body)) in objects.iter().enumerate() {
            index += &format!("{object} {} ", data.len());
            data += body;
            data.push(' ');
            rows.push((*object, [2, number, place as u32]));
        }
        let (first, count) = (index.len(), objects.len());
        let packed = deflate((index + &data + &" ".repeat(padding)).as_bytes());
        rows.push((number, [1, self.bytes.len() as u32, 0]));
        let dict = format!(
            "<</Type/ObjStm/N {count}/First {first}/Filter/FlateDecode/Length {}>>",
            packed.len()
        );
        self.write_stream(number, &dict, &packed);
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn write_stream(&mut self, number: u32, dict: &str, data: &[u8]) {
        self.bytes.extend(format!("{number} 0 obj\n{dict}\nstream\n").bytes());
        self.bytes.extend(data);
        self.bytes.extend(b"\nendstream\nendobj\n");
    }

    fn section(&mut self, mut rows: Rows) {
        let (number, at) = (self.number(), self.bytes.len());
        rows.push((number, [1, at as u32, 0]));
        rows.sort_unstable();
        let mut index = String::new();
        for run in rows.chunk_by(|a, b| a.0 + 1 == b.0) {
            index += &format!("{} {} ", run[0].0, run.len());
        }
        let row = |[kind, second, third]: [u32; 3]| {
            let third = (third as u16).to_be_bytes();
            [&[kind as u8], &second.to_be_bytes()[..], &third[..]].concat()
        };
        let packed = deflate(&rows.iter().flat_map(|(_, fields)| row(*fields)).collect::<Vec<_>>());
        let previous = self.previous.map_or(String::new(), |at| format!("/Prev {at}"));
        let dict = format!(
            "<</Type/XRef/Size {}/Root 1 0 R/W[1 4 2]/Index[{index}]{previous}/Filter/FlateDecode\
             /Length {}>>",
            number + 1,
            packed.len()
        );
        self.write_stream(number, &dict, &packed);
        self.bytes.extend(format!("startxref\n{at}\n%%EOF\n").bytes());
        self.previous = Some(at);
    }
}

/// The objects that make a document of one page.
pub fn one_page() -> Vec<(u32, String)> {
    vec![
        (1, "<</Type/Catalog/Pages 2 0 R>>".to_owned()),
        (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned()),
        (3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>".to_owned()),
    ]
}

/// A document of `count` objects, every other one in another object stream of `padding` bytes and
/// more, and the same with an update that changes each of them, laid out likewise.
pub fn changed(count: u32, padding: usize) -> (Vec<u8>, Vec<u8>) {
    let objects = |odd: u32, text: &str| -> Vec<(u32, String)> {
        (0..count)
            .filter(|n| n % 2 == odd)
            .map(|n| (10 + n, format!("<</Text({text} {n})/Of 3 0 R>>")))
            .collect()
    };
    let mut file = Packed::new(10 + count);
    file.revision(&one_page(), &[objects(0, "old"), objects(1, "old")], padding);
    let original = file.bytes.clone();
    file.revision(&[], &[objects(1, "new"), objects(0, "new")], padding);
    (original, file.bytes)
}

/// A document whose objects all lie in one object stream of about `decoded` bytes.
pub fn in_one_stream(decoded: usize) -> Vec<u8> {
    let mut objects = one_page();
    let mut seed = 1_u32;
    let (mut number, mut len) = (10, 0);
    while len < decoded {
        let mut digits = String::new();
        for _ in 0..4 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            digits += &format!("{} ", seed >> 22);
        }
        let body = format!(
            "<</Type/StructElem/S/P/P {} 0 R/K[{digits}]/Pg 3 0 R/Alt(a paragraph of the text)\
             /A<</O/Layout/Placement/Block/SpaceAfter 12.5/TextAlign/Start/LineHeight/Normal>>>>",
            number - 1
        );
        len += body.len();
        objects.push((number, body));
        number += 1;
    }
    let mut file = Packed::new(number);
    file.revision(&[], &[objects], 0);
    file.bytes
}

/// Files that ask for as much work as they can, with their originals.
pub fn hostile(kind: &str) -> (Vec<u8>, Vec<u8>) {
    let mut file = Packed::new(200_000);
    let numbered = |bodies: Vec<String>| -> Vec<(u32, String)> { (10..).zip(bodies).collect() };
    let (streams, padding): (Vec<Vec<(u32, String)>>, usize) = match kind {
        // More bytes than are ever decoded.
        "decode" => {
            let one = |n: u32| vec![(10 + n, format!("<</Number {n}>>"))];
            ((0..24).map(one).collect(), 12 << 20)
        }
        // Many values in few bytes.
        "values" => {
            let list = format!("[{}]", "1 ".repeat(200_000));
            (vec![numbered(vec![list; 60])], 0)
        }
        // Many objects, each of which is nothing.
        "objects" => (vec![numbered(vec!["0".to_owned(); 60_000])], 0),
        // Dictionaries that are compared key by key.
        "keys" => {
            let keys: String = (0..60_000).map(|n| format!("/{n} 0")).collect();
            (vec![numbered(vec![format!("<<{keys}>>"); 40])], 0)
        }
        // A form with as many fields as are read.
        "fields" => {
            let kids: String = (0..60_000).map(|n| format!("{} 0 R ", 11 + n)).collect();
            let mut bodies = vec![format!("[{kids}]")];
            bodies.extend((0..60_000).map(|n| format!("<</FT/Tx/T({n})>>")));
            (vec![numbered(bodies)], 0)
        }
        other => panic!("{other}"),
    };
    let mut plain = one_page();
    if kind == "fields" {
        plain[0].1 = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields 10 0 R>>>>".to_owned();
    }
    file.revision(&plain, &streams, padding);
    let original = file.bytes.clone();
    let rounds = if matches!(kind, "objects" | "fields") { 40 } else { 1 };
    let changed: Vec<Vec<(u32, String)>> = match kind {
        "objects" => vec![vec![(10, "1".to_owned())]],
        "fields" => vec![vec![(11, "<</FT/Tx/T(0)/V(1)>>".to_owned())]],
        _ => streams
            .iter()
            .map(|objects| {
                objects
                    .iter()
                    .map(|(n, b)| (*n, b.replace("1 ", "2 ").replace(" 0", " 3")))
                    .collect()
            })
            .collect(),
    };
    for _ in 0..rounds {
        file.revision(&[], &changed, padding);
    }
    (original, file.bytes)
}
