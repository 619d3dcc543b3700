//! Request bodies: exact bytes, exact lengths, files that change, repeats, memory.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test a panic is the report"
)]

use std::fs;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body::Body as _;
use proptest::prelude::*;
use signdoc::wire::{
    BufferPool, ByteSource, EncodeError, FRAME, RequestBody, RequestBuilder, WINDOW,
    push_json_string,
};
use tempfile::TempDir;

fn noise(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Drives the body as a transport does, and checks its promises on the way.
fn drain(body: &mut RequestBody) -> Result<Vec<u8>, EncodeError> {
    let mut context = Context::from_waker(Waker::noop());
    let mut out = Vec::new();
    loop {
        let left = body.content_length() - out.len() as u64;
        assert_eq!(body.size_hint().exact(), Some(left));
        assert_eq!(body.is_end_stream(), left == 0);
        match Pin::new(&mut *body).poll_frame(&mut context) {
            Poll::Pending => panic!("this body never waits"),
            Poll::Ready(None) => break,
            Poll::Ready(Some(Err(error))) => {
                assert!(body.next_frame().unwrap().is_none(), "the body is over after an error");
                return Err(error);
            }
            Poll::Ready(Some(Ok(frame))) => {
                let data = frame.into_data().unwrap();
                assert!(!data.is_empty(), "no empty frames");
                out.extend_from_slice(&data);
            }
        }
    }
    assert_eq!(out.len() as u64, body.content_length());
    Ok(out)
}

fn file_in(directory: &TempDir, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = directory.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn body_of(source: ByteSource) -> RequestBody {
    RequestBuilder::new().document(source).build(&BufferPool::new()).unwrap()
}

#[test]
fn documents_and_json_come_out_exactly() {
    let directory = TempDir::new().unwrap();
    for len in [0, 1, 2, 3, 4, 100, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW + 7, 1_000_000] {
        let bytes = noise(len);
        let path = file_in(&directory, "a.pdf", &bytes);
        let mut body = RequestBuilder::new()
            .raw("{\"documents\":[{\"description\":")
            .string("Lån \"4711\"\n")
            .raw(",\"pdf\":")
            .document(ByteSource::open(&path).unwrap())
            .raw("},{\"pdf\":")
            .document(ByteSource::from(Bytes::from(bytes.clone())))
            .raw("}],\"n\":")
            .json(&Some(1.5))
            .unwrap()
            .raw("}")
            .build(&BufferPool::new())
            .unwrap();
        let text = STANDARD.encode(&bytes);
        let wanted = format!(
            "{{\"documents\":[{{\"description\":\"Lån \\\"4711\\\"\\n\",\"pdf\":\"{text}\"}},{{\"pdf\":\"{text}\"}}],\"n\":1.5}}"
        );
        assert_eq!(body.content_length(), wanted.len() as u64);
        assert!(drain(&mut body).unwrap() == wanted.as_bytes(), "{len} bytes");
        assert!(drain(&mut body.reopen()).unwrap() == wanted.as_bytes(), "again");
        serde_json::from_str::<serde_json::Value>(&wanted).unwrap();
    }
}

#[test]
fn a_body_may_be_empty_or_one_literal() {
    let mut empty = RequestBuilder::new().build(&BufferPool::new()).unwrap();
    assert_eq!(drain(&mut empty).unwrap(), b"");
    let pool = BufferPool::new();
    let long = "x".repeat(3 * FRAME);
    let mut literal = RequestBuilder::new().raw(&long).build(&pool).unwrap();
    assert_eq!(literal.next_frame().unwrap().unwrap(), long.as_bytes());
    assert_eq!(pool.idle(), 0, "a literal needs no window");
}

#[test]
fn a_repeat_starts_at_the_first_byte() {
    let directory = TempDir::new().unwrap();
    let bytes = noise(500_000);
    let path = file_in(&directory, "a.pdf", &bytes);
    let mut body = body_of(ByteSource::open(&path).unwrap());
    let whole = drain(&mut body.reopen()).unwrap();
    body.next_frame().unwrap();
    body.next_frame().unwrap();
    let mut again = body.reopen();
    assert_eq!(again.size_hint().exact(), Some(whole.len() as u64));
    // Both go on independently: a file is never read through a shared position.
    let mut rest = Vec::new();
    while let (Some(one), other) = (body.next_frame().unwrap(), again.next_frame().unwrap()) {
        rest.push(one);
        assert!(other.is_some());
    }
    assert!(drain(&mut body.reopen()).unwrap() == whole);
    // Replaced under its name, the file that was opened is still the one that is sent.
    fs::remove_file(&path).unwrap();
    fs::write(&path, b"other").unwrap();
    assert!(drain(&mut body.reopen()).unwrap() == whole);
}

#[test]
fn progress_counts_body_bytes_and_starts_again() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let sink = told.clone();
    let mut body = body_of(noise(1_000_000).into())
        .with_progress(Arc::new(move |sent| sink.lock().unwrap().push(sent)));
    drain(&mut body).unwrap();
    let first = std::mem::take(&mut *told.lock().unwrap());
    assert_eq!(first.last(), Some(&body.content_length()));
    assert!(first.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(first.len() <= 1 + 1_333_338 / (FRAME - 4), "one call per window");
    drain(&mut body.reopen()).unwrap();
    assert_eq!(*told.lock().unwrap(), first);
}

fn assert_changed(result: Result<Vec<u8>, EncodeError>, name: &str, lengths: (u64, u64)) {
    match result {
        Err(EncodeError::Changed { path, expected, actual }) => {
            assert!(path.ends_with(name));
            assert_eq!((expected, actual), lengths);
        }
        Err(other) => panic!("{other}"),
        Ok(sent) => panic!("sent {} bytes of a file that changed", sent.len()),
    }
}

#[test]
fn a_file_that_changes_is_refused() {
    let directory = TempDir::new().unwrap();
    let len = 3 * WINDOW as u64;
    let start = |name: &str| {
        let path = file_in(&directory, name, &noise(len as usize));
        let mut body = body_of(ByteSource::open(&path).unwrap());
        body.next_frame().unwrap();
        (fs::OpenOptions::new().write(true).open(path).unwrap(), body)
    };
    let finish = |mut body: RequestBody| {
        while body.next_frame()?.is_some() {}
        Ok(Vec::new())
    };

    let (file, body) = start("shorter");
    file.set_len(10).unwrap();
    assert_changed(finish(body), "shorter", (len, 10));

    let (file, body) = start("longer");
    file.set_len(len + 1).unwrap();
    assert_changed(finish(body), "longer", (len, len + 1));

    let (mut file, body) = start("rewritten");
    std::thread::sleep(std::time::Duration::from_millis(20)); // past one tick of the file clock
    file.write_all(b"x").unwrap();
    drop(file);
    assert_changed(finish(body), "rewritten", (len, len));

    // Changed before its first byte: nothing of it is sent, on a repeat neither.
    let (file, body) = start("earlier");
    file.set_len(len - 1).unwrap();
    let first = body.reopen().next_frame().map(|_| Vec::new());
    assert_changed(first, "earlier", (len, len - 1));
}

#[test]
fn what_is_no_readable_file_is_named() {
    let directory = TempDir::new().unwrap();
    let missing = directory.path().join("missing.pdf");
    let error = ByteSource::open(&missing).unwrap_err();
    assert!(matches!(&error, EncodeError::Open { path, .. } if *path == missing));
    assert!(error.to_string().contains("missing.pdf"));
    let error = ByteSource::open(directory.path()).unwrap_err();
    assert!(matches!(error, EncodeError::NotAFile { .. }), "{error}");
    #[cfg(unix)]
    assert!(matches!(ByteSource::open("/dev/null"), Err(EncodeError::NotAFile { .. })));
    let file = fs::File::open(file_in(&directory, "a", b"abc")).unwrap();
    let source = ByteSource::from_file(file, "label").unwrap();
    assert_eq!((source.len(), source.path()), (3, Some(std::path::Path::new("label"))));
    assert_eq!(drain(&mut body_of(source)).unwrap(), b"\"YWJj\"");
}

#[test]
fn sources_read_anywhere() {
    let directory = TempDir::new().unwrap();
    let path = file_in(&directory, "a", b"0123456789");
    for source in [ByteSource::open(path).unwrap(), b"0123456789".to_vec().into()] {
        let mut buffer = [0; 4];
        source.read_exact_at(&mut buffer, 3).unwrap();
        assert_eq!(&buffer, b"3456");
        assert!(source.read_exact_at(&mut buffer, 8).is_err());
        assert!(source.read_exact_at(&mut buffer, u64::MAX / 2).is_err());
        assert!(!source.is_empty());
        assert!(!format!("{source:?}").contains("48"), "no content in Debug");
    }
}

#[test]
fn few_windows_serve_any_number_of_documents() {
    let directory = TempDir::new().unwrap();
    let path = file_in(&directory, "a.pdf", &noise(400_000));
    let pool = BufferPool::new();
    let mut builder = RequestBuilder::new().raw("[");
    for _ in 0..40 {
        builder = builder.document(ByteSource::open(&path).unwrap()).raw(",");
    }
    let mut body = builder.raw("0]").build(&pool).unwrap();
    // A transport that keeps four frames in its queue.
    let mut queue = std::collections::VecDeque::new();
    while let Some(frame) = body.next_frame().unwrap() {
        queue.push_back(frame);
        if queue.len() > 4 {
            queue.pop_front();
        }
    }
    drop(queue);
    assert!(pool.idle() <= 6, "{} buffers were made", pool.idle());
}

#[test]
fn strings_are_escaped_as_serde_json_does_it() {
    for text in ["", "plain", "æøå\u{1f600}", "\"\\/\u{8}\u{c}\n\r\t\0\u{1}\u{1f}\u{7f}\u{2028}"]
    {
        let mut out = Vec::new();
        push_json_string(&mut out, text);
        assert_eq!(out, serde_json::to_vec(text).unwrap(), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_string_is_escaped_as_serde_json_does_it(text in any::<String>()) {
        let mut out = Vec::new();
        push_json_string(&mut out, &text);
        prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
    }

    #[test]
    fn any_mix_of_parts_comes_out_exactly(
        parts in prop::collection::vec((any::<bool>(), any::<bool>(), 0_usize..200_000), 0..6),
    ) {
        let directory = TempDir::new().unwrap();
        let mut builder = RequestBuilder::new();
        let mut wanted = Vec::new();
        for (index, (document, file, len)) in parts.iter().enumerate() {
            let bytes = noise(*len);
            if !document {
                let text = "y".repeat(*len);
                builder = builder.raw(&text);
                wanted.extend_from_slice(text.as_bytes());
                continue;
            }
            wanted.extend_from_slice(format!("\"{}\"", STANDARD.encode(&bytes)).as_bytes());
            builder = builder.document(if *file {
                let path = file_in(&directory, &index.to_string(), &bytes);
                ByteSource::open(path).unwrap()
            } else {
                bytes.into()
            });
        }
        let mut body = builder.build(&BufferPool::new()).unwrap();
        prop_assert!(drain(&mut body).unwrap() == wanted);
    }
}
