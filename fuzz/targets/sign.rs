//! Preparing, embedding, adding validation data and timestamps: the input stays a prefix, and
//! what was written can be read again.

use signdoc_signature::pdf::Document;
use signdoc_signature::sign::{
    DssContent, PrepareOptions, Seal, SealFit, TimestampOptions, ValidationData, add_dss, prepare,
    prepare_timestamp,
};

use super::kit::{now, shared};
use super::pdf_reader;
use super::signing::bytes;

const EMPTY_CMS: &[u8] = &[0x30, 0];

pub fn seeds() -> Vec<Vec<u8>> {
    pdf_reader::seeds()
}

pub fn run(data: &[u8]) -> bool {
    let seal = Seal { fit: SealFit::Move, ..Seal::default() };
    let time = Some(now());
    let options =
        PrepareOptions { seal: Some(seal), time, reserve: 512, ..PrepareOptions::default() };
    let prepared = prepare(shared(data), &options);
    if let Ok(prepared) = &prepared {
        let [zero, before, after, rest] = prepared.byte_range();
        let mut out = Vec::new();
        prepared.embed(EMPTY_CMS, &mut out).unwrap();
        assert_eq!((zero, after + rest), (0, out.len() as u64), "the range ends with the file");
        assert!(before >= data.len() as u64, "the gap lies in the update");
        check(data, &out, prepared.field_name());
    }
    if let Ok(stamp) = prepare_timestamp(shared(data), &TimestampOptions::default()) {
        let out = bytes(&stamp.signed(EMPTY_CMS).unwrap());
        check(data, &out, stamp.field_name());
    }
    let general = ValidationData { certificates: vec![EMPTY_CMS.to_vec()], ..Default::default() };
    let content = DssContent { general, per_signature: Vec::new() };
    if let Ok(with_data) = add_dss(shared(data), &content) {
        let out = bytes(&with_data);
        assert!(out.starts_with(data), "the input is no prefix");
        assert!(!Document::from_bytes(out).unwrap().is_rebuilt(), "our own update is unreadable");
    }
    prepared.is_ok()
}

fn check(data: &[u8], out: &[u8], field: &str) {
    assert!(out.starts_with(data), "the input is no prefix");
    let again = Document::from_bytes(out.to_vec()).unwrap();
    assert!(!again.is_rebuilt(), "our own update is unreadable");
    assert!(again.signatures().unwrap().iter().any(|s| s.name == field), "{field} is missing");
}
