//! The floor: the conversion job written by hand on one blocking socket with a SIMD base64 engine
//! and nothing else. Every ratio of the benches is against it. The other subcommands measure the
//! parts it cannot do without, so that the floor itself can be judged.
//!
//! ```text
//! bench-floor convert --url U --token T --out DIR [--repeat N] FILES...   the job
//! bench-floor many    --url U --token T --out DIR --jobs N FILES...        fifteen a call, N at a time
//! bench-floor raw     --url U --token T FILES...   prebuilt body to the socket, answer drained
//! bench-floor copy    --out DIR FILES...           file to window to file
//! bench-floor base64  FILES...                     windows encoded and decoded
//! ```

#[path = "../../common/job.rs"]
mod job;

mod answer;
mod parts;
mod request;

use std::collections::VecDeque;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

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

/// Documents of one call.
const PACK: usize = 15;

/// Packs of fifteen, one blocking thread and connection for each call under way.
fn many(job: &Job) -> Fallible<()> {
    let outputs = job.outputs()?;
    let work = |packs: &Mutex<VecDeque<Job>>| -> Result<(), String> {
        let told = |error: Box<dyn Error>| error.to_string();
        let mut stream = request::connect(&job.url).map_err(told)?;
        let (mut upload, mut answer) = (request::Upload::new(), answer::Answer::new());
        loop {
            let pack = packs.lock().map_err(|error| error.to_string())?.pop_front();
            let Some(pack) = pack else { return Ok(()) };
            upload.send(&mut stream, &pack).map_err(told)?;
            answer.receive(&mut stream, &pack.outputs().map_err(told)?).map_err(told)?;
        }
    };
    let measured = measure(job.repeat, || {
        let packs: VecDeque<Job> = job.files.chunks(PACK).map(|files| job.with(files)).collect();
        let packs = Mutex::new(packs);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..job.jobs).map(|_| scope.spawn(|| work(&packs))).collect();
            threads.into_iter().try_for_each(|thread| match thread.join() {
                Ok(ended) => Ok(ended?),
                Err(_) => Err("a thread panicked".into()),
            })
        })
    })?;
    report("floor", job, &measured, &outputs)
}

fn run() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    let part = args.next().unwrap_or_default();
    let job = Job::parse(args)?;
    match part.as_str() {
        "convert" => convert(&job),
        "many" => many(&job),
        "raw" => parts::raw(&job),
        "copy" => parts::copy(&job),
        "base64" => parts::base64(&job),
        _ => Err("usage: bench-floor convert|many|raw|copy|base64 [options] FILES...".into()),
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
