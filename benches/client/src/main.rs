//! The conversion job through the Rust face of `signdoc`. Same command line and report as the
//! floor.
//!
//! ```text
//! bench-client convert --url U --token T --out DIR [--repeat N] FILES...
//! ```

#[path = "../../common/job.rs"]
mod job;

use std::process::ExitCode;

use job::{Fallible, Job, measure, report};
use signdoc::{Client, ConvertOptions, Destination, Document};
use tokio::runtime::{Builder, Runtime};

fn open(job: &Job) -> Fallible<(Runtime, Client)> {
    let mut config = Client::builder();
    config.set("issuer", &job.url)?.set("client_id", "bench")?.set("client_secret", "bench")?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok((runtime, Client::new(config.build()?)?))
}

fn run() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() != Some("convert") {
        return Err("usage: bench-client convert [options] FILES...".into());
    }
    let job = Job::parse(args)?;
    let outputs = job.outputs()?;
    let documents: Vec<_> = job.files.iter().map(Document::from_path).collect();
    let options = ConvertOptions {
        to: Destination::Folder { path: job.out.clone(), overwrite: true },
        ..ConvertOptions::default()
    };
    let mut opened = None;
    let measured = measure(job.repeat, || {
        let (runtime, client) = match &opened {
            Some(opened) => opened,
            None => opened.insert(open(&job)?),
        };
        runtime.block_on(client.convert(&documents, &options))?;
        Ok(())
    })?;
    report("signdoc (Rust)", &job, &measured, &outputs)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-client: {error}");
            ExitCode::FAILURE
        }
    }
}
