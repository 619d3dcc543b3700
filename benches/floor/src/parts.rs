//! The parts the job cannot do without, each alone: socket transfer, file copy, base64.

use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};

use base64::Engine as _;

use crate::job::{Fallible, Job, measure, report};
use crate::{answer, engine, request};

/// The body built in memory before the clock starts, then one write; the answer is drained.
pub fn raw(job: &Job) -> Fallible<()> {
    let (files, length) = request::open(job)?;
    let mut body = request::head(job, length)?.into_bytes();
    body.reserve_exact(length);
    body.extend_from_slice(request::OPEN);
    for (index, (mut file, size)) in files.into_iter().enumerate() {
        let mut document = Vec::with_capacity(size);
        file.read_to_end(&mut document)?;
        body.extend_from_slice(if index > 0 { b"," } else { b"" });
        body.extend_from_slice(request::BEFORE);
        body.extend_from_slice(engine().encode(&document).as_bytes());
        body.extend_from_slice(request::AFTER);
    }
    body.extend_from_slice(request::CLOSE);
    let mut connection = None;
    let measured = measure(job.repeat, || {
        let (stream, answer) = match connection.as_mut() {
            Some(open) => open,
            None => connection.insert((request::connect(&job.url)?, answer::Answer::new())),
        };
        stream.write_all(&body)?;
        answer.drain(stream)
    })?;
    report("raw", job, &measured, &[])
}

/// Reads each file through the window of the job and writes it again.
pub fn copy(job: &Job) -> Fallible<()> {
    let outputs = job.outputs()?;
    let mut window = vec![0; request::RAW];
    let measured = measure(job.repeat, || {
        for (from, to) in job.files.iter().zip(&outputs) {
            let (mut from, mut to) = (File::open(from)?, File::create(to)?);
            loop {
                let n = from.read(&mut window)?;
                if n == 0 {
                    break;
                }
                to.write_all(window.get(..n).unwrap_or_default())?;
            }
        }
        Ok(())
    })?;
    report("copy", job, &measured, &outputs)
}

/// Encodes and decodes windows until the size of the documents is reached. The windows stay in
/// the cache, as they do in the job, where the file has just been read into them.
pub fn base64(job: &Job) -> Fallible<()> {
    let engine = engine();
    let mut plain = vec![0; request::RAW];
    File::open(job.files.first().ok_or("no file")?)?.read_exact(&mut plain)?;
    let mut text = vec![0; request::RAW / 3 * 4];
    let mut back = vec![0; request::RAW + 64];
    let mut windows = Vec::new();
    for path in &job.files {
        let size = usize::try_from(std::fs::metadata(path)?.len())?;
        windows.extend(std::iter::repeat_n(request::RAW, size / request::RAW));
        windows.push(size % request::RAW);
    }
    let measured = measure(job.repeat, || {
        for &window in &windows {
            let from = plain.get(..window).unwrap_or_default();
            let n = engine.encode_slice(black_box(from), &mut text)?;
            let encoded = text.get(..n).unwrap_or_default();
            engine.decode_slice(black_box(encoded), &mut back)?;
            black_box(&back);
        }
        Ok(())
    })?;
    report("base64", job, &measured, &[])
}
