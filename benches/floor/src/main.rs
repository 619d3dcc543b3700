//! The floor: the conversion job written by hand on one blocking socket with a SIMD base64 engine
//! and nothing else. Every ratio of the benches is against it. The other subcommands measure the
//! parts it cannot do without, so that the floor itself can be judged.
//!
//! ```text
//! bench-floor convert --url U --token T --out DIR [--repeat N] FILES...   the job
//! bench-floor raw     --url U --token T FILES...   prebuilt body to the socket, answer drained
//! bench-floor copy    --out DIR FILES...           file to window to file
//! bench-floor base64  FILES...                     windows encoded and decoded
//! ```

#[path = "../../common/job.rs"]
mod job;

mod answer;
mod parts;
mod request;

use std::process::ExitCode;

use base64::engine::{GeneralPurposeConfig, Simd};
use job::{Fallible, Job, measure, report};

fn engine() -> Simd {
    Simd::standard(GeneralPurposeConfig::new())
}

fn convert(job: &Job) -> Fallible<()> {
    let outputs = job.outputs()?;
    let mut connection = None;
    let measured = measure(job.repeat, || {
        let (stream, upload, answer) = match connection.as_mut() {
            Some(open) => open,
            None => connection.insert((
                request::connect(&job.url)?,
                request::Upload::new(),
                answer::Answer::new(),
            )),
        };
        upload.send(stream, job)?;
        answer.receive(stream, &outputs)
    })?;
    report("floor", job, &measured, &outputs)
}

fn run() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    let part = args.next().unwrap_or_default();
    let job = Job::parse(args)?;
    match part.as_str() {
        "convert" => convert(&job),
        "raw" => parts::raw(&job),
        "copy" => parts::copy(&job),
        "base64" => parts::base64(&job),
        _ => Err("usage: bench-floor convert|raw|copy|base64 [options] FILES...".into()),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-floor: {error}");
            ExitCode::FAILURE
        }
    }
}
