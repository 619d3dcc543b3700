//! The conversion job through the Rust face of `signdoc`. Same command line and report as the
//! floor.
//!
//! ```text
//! bench-client convert --url U --token T --out DIR [--repeat N] [--ca FILE] FILES...
//! bench-client many    --url U --token T --out DIR --jobs N FILES...
//! ```

#[path = "../../common/job.rs"]
mod job;

use std::process::ExitCode;

use job::{Fallible, Job, measure, report};
use signdoc::{BatchOptions, Client, ConvertOptions, Destination, Document};
use tokio::runtime::{Builder, Runtime};

fn open(job: &Job) -> Fallible<(Runtime, Client)> {
    let mut config = Client::builder();
    config.set("issuer", &job.url)?.set("client_id", "bench")?.set("client_secret", "bench")?;
    if let Some(ca) = &job.ca {
        config.set("ca_file", &ca.display().to_string())?.set("ca_only", "true")?;
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok((runtime, Client::new(config.build()?)?))
}

/// All documents through one client, several calls at a time.
fn many(job: &Job) -> Fallible<()> {
    let outputs = job.outputs()?;
    let measured = measure(job.repeat, || {
        let (runtime, client) = open(job)?;
        let options = BatchOptions {
            to: Destination::Folder { path: job.out.clone(), overwrite: true },
            concurrency: job.jobs,
            ..BatchOptions::default()
        };
        let documents: Vec<_> = job.files.iter().map(Document::from_path).collect();
        runtime.block_on(async {
            let mut batch = client.convert_many(documents, options)?;
            while let Some(result) = batch.next().await {
                if let Some(failure) = result.failure {
                    return Err(failure.into());
                }
            }
            Ok(())
        })
    })?;
    report("signdoc (Rust)", job, &measured, &outputs)
}

fn run() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_default();
    let job = Job::parse(args)?;
    match what.as_str() {
        "convert" => {}
        "many" => return many(&job),
        _ => return Err("usage: bench-client convert|many [options] FILES...".into()),
    }
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
