//! What a merchant would write with the usual crates: reqwest with `.json()` both ways, documents
//! as Strings, the default base64 engine. Same command line and report as the floor.
//!
//! ```text
//! bench-naive convert --url U --token T --out DIR [--repeat N] FILES...
//! ```

#[path = "../../common/job.rs"]
mod job;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use job::{Fallible, Job, measure, report};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Request {
    documents: Vec<Document>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    pdf_spec: &'static str,
    pdf: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Converted {
    converted_document: String,
}

async fn convert(client: &reqwest::Client, job: &Job, outputs: &[PathBuf]) -> Fallible<()> {
    let mut documents = Vec::new();
    for file in &job.files {
        documents.push(Document { pdf_spec: "PDFA_2B", pdf: STANDARD.encode(fs::read(file)?) });
    }
    let request = client
        .post(format!("{}/signdoc/convert", job.url))
        .bearer_auth(&job.token)
        .json(&Request { documents });
    let answer: Vec<Converted> = request.send().await?.error_for_status()?.json().await?;
    if answer.len() != outputs.len() {
        return Err(format!("{} documents in the answer", answer.len()).into());
    }
    for (converted, output) in answer.iter().zip(outputs) {
        fs::write(output, STANDARD.decode(&converted.converted_document)?)?;
    }
    Ok(())
}

fn run() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() != Some("convert") {
        return Err("usage: bench-naive convert [options] FILES...".into());
    }
    let job = Job::parse(args)?;
    let outputs = job.outputs()?;
    let mut open = None;
    let measured = measure(job.repeat, || {
        let (runtime, client) = match &open {
            Some(open) => open,
            None => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                open.insert((runtime, reqwest::Client::new()))
            }
        };
        runtime.block_on(convert(client, &job, &outputs))
    })?;
    report("naive", &job, &measured, &outputs)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-naive: {error}");
            ExitCode::FAILURE
        }
    }
}
