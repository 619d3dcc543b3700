//! The ready answers: the JSON of each converted document, made once.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Fallible;

/// One array element of the answer for each file of `directory`, in order of name.
pub fn load(directory: &Path) -> Fallible<Vec<Vec<u8>>> {
    let entries = fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<Fallible<Vec<PathBuf>>>()?;
    paths.sort();
    if paths.is_empty() {
        return Err(format!("no answers in {}", directory.display()).into());
    }
    let element = |(index, path): (usize, &PathBuf)| {
        let mut text = format!(
            "{{\"conversionResult\":{{\"conversionId\":\"bench-{index:04}\",\
             \"description\":\"document {index}\",\"converted\":true,\"conversionErrors\":[],\
             \"conversionWarnings\":[]}},\"convertedDocument\":\""
        );
        STANDARD.encode_string(fs::read(path)?, &mut text);
        text.push_str("\"}");
        Ok(text.into_bytes())
    };
    paths.iter().enumerate().map(element).collect()
}
