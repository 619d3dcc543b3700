//! Spot colours of one name that mean different colours.

use std::collections::{BTreeMap, HashMap};

use super::FindingCode;
use super::walk::Walk;
use crate::crypto::HashAlgorithm;
use crate::pdf::{Dict, Object, write_object};

/// Decoded data of a tint transform that is compared.
const MAX_FUNCTION: usize = 256 << 10;
/// Functions nest in stitching functions.
const MAX_DEPTH: usize = 4;
/// More functions than this inside one are not compared.
const MAX_PARTS: usize = 64;
/// Values that are compared for one colorant.
const MAX_VALUES: usize = 2000;
/// Colorants that are compared.
const MAX_COLORANTS: usize = 200;

/// Colorant names with the digests of their definitions.
#[derive(Default)]
pub(super) struct Colorants {
    known: BTreeMap<String, Vec<Vec<u8>>>,
    looked_at: usize,
    /// Digests of the objects that definitions are made of, by number.
    described: HashMap<u32, Vec<u8>>,
}

impl Colorants {
    pub(super) fn collisions(&self) -> Vec<String> {
        self.known.iter().filter(|(_, d)| d.len() > 1).map(|(name, _)| name.clone()).collect()
    }
}

impl Walk<'_> {
    pub(super) fn colorant(&mut self, name: &str, alternate: &Object, tint: &Object) {
        if matches!(name, "All" | "None") {
            return;
        }
        self.colorants.looked_at += 1;
        if self.colorants.looked_at > MAX_COLORANTS {
            return self.note(FindingCode::Incomplete, "it has more colorants than are compared");
        }
        let mut definition = Vec::new();
        let mut left = MAX_VALUES;
        self.describe(alternate, &mut definition, 0, &mut left);
        self.describe(tint, &mut definition, 0, &mut left);
        let digest = HashAlgorithm::Sha256.digest(&definition);
        let known = self.colorants.known.entry(name.to_owned()).or_default();
        if !known.contains(&digest) {
            known.push(digest);
        }
    }

    /// Appends what a value is, whichever objects it is spread over. An object is described once,
    /// however often it is used.
    fn describe(&mut self, object: &Object, out: &mut Vec<u8>, depth: usize, left: &mut usize) {
        if depth > MAX_DEPTH || *left == 0 {
            return;
        }
        *left -= 1;
        let Some(id) = object.as_ref() else {
            return self.describe_value(object, out, depth, left);
        };
        if let Some(known) = self.colorants.described.get(&id.number) {
            out.extend(known);
            return;
        }
        // Should it lead back to itself, nothing is said there.
        self.colorants.described.insert(id.number, Vec::new());
        let mut own = Vec::new();
        let value = self.resolve(object);
        self.describe_value(&value, &mut own, depth, left);
        let digest = HashAlgorithm::Sha256.digest(&own);
        out.extend(&digest);
        self.colorants.described.insert(id.number, digest);
    }

    fn describe_value(
        &mut self,
        value: &Object,
        out: &mut Vec<u8>,
        depth: usize,
        left: &mut usize,
    ) {
        match value {
            Object::Array(values) => {
                out.push(b'[');
                for value in values.iter().take(*left) {
                    self.describe(value, out, depth + 1, left);
                    out.push(b' ');
                }
            }
            Object::Dict(dict) => self.describe_dict(dict, out, depth, left),
            Object::Stream(stream) => {
                self.describe_dict(&stream.dict, out, depth, left);
                // The data tells them apart; how it is compressed does not.
                if let Ok(decoded) = self.view.stream_data(stream, MAX_FUNCTION) {
                    out.extend(HashAlgorithm::Sha256.digest(&decoded.data));
                }
            }
            other => write_object(other, out),
        }
    }

    fn describe_dict(&mut self, dict: &Dict, out: &mut Vec<u8>, depth: usize, left: &mut usize) {
        let mut entries: Vec<_> = dict
            .iter()
            .filter(|e| !["Length", "Filter", "DecodeParms"].iter().any(|k| e.key == **k))
            .take(MAX_PARTS)
            .collect();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        for entry in entries {
            out.extend(entry.key.as_bytes());
            out.push(b' ');
            self.describe(&entry.value, out, depth + 1, left);
        }
    }
}
