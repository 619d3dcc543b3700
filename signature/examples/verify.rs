//! Verifies a signed PDF and prints the report as JSON.
//!
//! ```text
//! verify SIGNED.pdf [--original FILE] [--trust ROOTS.pem] [--at UNIX-SECONDS] [--converted]
//!        [--signer NAME] [--serial-number NUMBER] [--require WORD]... [--seal X,Y,PAGE]...
//!        [--no-seal] [--no-filling] [--unsigned-sha256 TEXT] [--signed-sha256 TEXT]
//! verify --batch LIST       one command line for each line of the file, tabs between arguments
//! ```
//!
//! The exit code is 0 when the verdict is ok, 6 when it is not, 2 for a wrong command line.

use std::process::ExitCode;
use std::sync::Arc;

use signdoc_signature::asn1::Time;
use signdoc_signature::pdf::{FileSource, SharedSource};
use signdoc_signature::verify::{
    ExpectedSigner, FormFilling, SealPosition, VerifyOptions, verify_file,
};
use signdoc_signature::x509::TrustAnchors;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [flag, list] if flag == "--batch" => batch(list),
        _ => match one(&arguments) {
            Ok((report, true)) => {
                println!("{report}");
                ExitCode::SUCCESS
            }
            Ok((report, false)) => {
                println!("{report}");
                ExitCode::from(6)
            }
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::from(2)
            }
        },
    }
}

fn batch(list: &str) -> ExitCode {
    let lines = match std::fs::read_to_string(list) {
        Ok(lines) => lines,
        Err(error) => {
            eprintln!("{list}: {error}");
            return ExitCode::from(2);
        }
    };
    for line in lines.lines() {
        let arguments: Vec<String> = line.split('\t').map(str::to_owned).collect();
        match one(&arguments) {
            Ok((report, _)) => println!("{report}"),
            Err(reason) => {
                eprintln!("{line}: {reason}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::SUCCESS
}

fn one(arguments: &[String]) -> Result<(String, bool), String> {
    let mut rest = arguments.iter();
    let signed = rest.next().ok_or("give the signed file")?;
    let mut options = VerifyOptions::default();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{flag} needs a value"));
        match flag.as_str() {
            "--original" => options.original = Some(Arc::new(file(value()?)?)),
            "--trust" => options.trust = anchors(value()?)?,
            "--at" => {
                let seconds = value()?.parse().map_err(|_| "--at needs seconds since 1970")?;
                options.at = Some(Time::from_unix(seconds));
            }
            "--converted" => options.converted = true,
            "--signer" => signer(&mut options).name = Some(value()?.clone()),
            "--serial-number" => signer(&mut options).serial_number = Some(value()?.clone()),
            "--require" => {
                options.require.push(value()?.parse().map_err(|e| format!("{e}"))?);
            }
            "--seal" => {
                let position = position(value()?)?;
                options.seals.positions.get_or_insert_default().push(position);
            }
            "--no-seal" => options.seals.positions = Some(Vec::new()),
            "--no-filling" => options.form_filling = FormFilling::Forbidden,
            "--unsigned-sha256" => options.reported.unsigned_sha256 = Some(value()?.clone()),
            "--signed-sha256" => options.reported.signed_sha256 = Some(value()?.clone()),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    let signed: SharedSource = Arc::new(file(signed)?);
    let report = verify_file(&signed, &options);
    Ok((report.to_json().to_string(), report.is_ok()))
}

fn signer(options: &mut VerifyOptions) -> &mut ExpectedSigner {
    options.signer.get_or_insert_default()
}

fn file(path: &str) -> Result<FileSource, String> {
    FileSource::open(path).map_err(|error| format!("{path}: {error}"))
}

fn anchors(path: &str) -> Result<TrustAnchors, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    TrustAnchors::from_bytes(&bytes).map_err(|error| format!("{path}: {error}"))
}

fn position(text: &str) -> Result<SealPosition, String> {
    let wrong = || format!("{text:?} is no position: give x,y,page");
    let mut parts = text.split(',');
    let mut next = || parts.next().ok_or_else(wrong);
    let number = |part: &str| part.trim().parse().map_err(|_| wrong());
    Ok(SealPosition {
        x: number(next()?)?,
        y: number(next()?)?,
        page: next()?.trim().parse().map_err(|_| wrong())?,
    })
}
