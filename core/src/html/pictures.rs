//! Pictures of pages, drawn by Poppler's `pdftoppm` where somebody asks for them.
//!
//! The program is run on a file that may be hostile, so it never runs unasked: it gets the file
//! on its standard input, no environment but the path, and a limit of time and of output for each
//! page.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::pages::MAX_PAGES;
use super::read;
use crate::error::{Code, Error, Result};
use crate::pdf::pdf::{SharedSource, copy_range};

const PROGRAM: &str = "pdftoppm";
/// Pixels of the longer side.
const SIDE: &str = "1100";
/// A page that takes longer has no picture.
const PAGE_TIME: Duration = Duration::from_secs(20);
/// All pictures of one file together.
const TIME: Duration = Duration::from_secs(90);
const MAX_PICTURE: u64 = 12 << 20;
const WINDOW: u64 = 64 << 10;
const TICK: Duration = Duration::from_millis(10);

/// Pictures of the pages of one file: PNG by page number.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// Of the file as it is.
    pub after: BTreeMap<u64, Vec<u8>>,
    /// Of what the comparison began with.
    pub before: BTreeMap<u64, Vec<u8>>,
    /// What to say where pages have no picture.
    pub missing: Option<String>,
}

/// Draws the pages that a page about the report (or preview) of this file shows, by the program
/// `pdftoppm`. A page that it cannot draw has no picture.
///
/// # Errors
/// [`Code::InvalidOption`] where the program is not installed.
pub fn draw(file: &SharedSource, report: &Value) -> Result<Pictures> {
    let mut reports = read::reports(report);
    let report = reports.pop().unwrap_or_default();
    let mut pages: BTreeSet<u64> = report.pages.iter().map(|size| size.page).collect();
    while pages.len() > MAX_PAGES {
        pages.pop_last();
    }
    let until = Instant::now() + TIME;
    let mut pictures = Pictures::default();
    let mut without = 0;
    for page in pages {
        let now = one(file, file.len(), page, until)?;
        without += usize::from(now.is_none());
        pictures.after.extend(now.map(|picture| (page, picture)));
        if let Some(len) = report.changes.base_len.filter(|len| *len <= file.len()) {
            // A page that was not there before has none.
            let before = one(file, len, page, until)?;
            pictures.before.extend(before.map(|picture| (page, picture)));
        }
    }
    if without > 0 {
        pictures.missing = Some(format!("{PROGRAM} could not draw {without} of these pages"));
    }
    Ok(pictures)
}

/// The picture of one page of the first `len` bytes.
fn one(file: &SharedSource, len: u64, page: u64, until: Instant) -> Result<Option<Vec<u8>>> {
    let until = until.min(Instant::now() + PAGE_TIME);
    let mut child = start(page)?;
    let feeding = child.stdin.take().map(|mut input| {
        let file = Arc::clone(file);
        std::thread::spawn(move || feed(&file, len, &mut input))
    });
    let reading = child.stdout.take().map(|output| {
        std::thread::spawn(move || {
            let mut picture = Vec::new();
            let read = output.take(MAX_PICTURE + 1).read_to_end(&mut picture);
            read.ok().map(|_| picture)
        })
    });
    let ended_well = wait(&mut child, until);
    // Both end with the program.
    let picture = reading.and_then(|thread| thread.join().ok()).flatten();
    drop(feeding.map(std::thread::JoinHandle::join));
    let is_whole = |picture: &Vec<u8>| {
        picture.len() as u64 <= MAX_PICTURE && picture.starts_with(b"\x89PNG\r\n")
    };
    Ok(picture.filter(is_whole).filter(|_| ended_well))
}

fn start(page: u64) -> Result<Child> {
    let number = page.to_string();
    let mut command = Command::new(PROGRAM);
    command.args(["-q", "-png", "-cropbox", "-scale-to", SIDE, "-f", &number, "-l", &number, "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let path = std::env::var_os("PATH");
    command.env_clear().envs(path.map(|path| ("PATH", path)));
    command.spawn().map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => {
                format!("pictures are drawn by {PROGRAM}, which is not installed; install Poppler's programs, or ask for no pictures")
            }
            _ => format!("pictures are drawn by {PROGRAM}, which cannot be started: {error}"),
        };
        Error::new(Code::InvalidOption, why).with_detail("field", "pictures")
    })
}

/// Writes until all is there, or nobody reads any more.
fn feed(file: &SharedSource, len: u64, input: &mut impl Write) {
    let mut window = Vec::new();
    let mut at = 0;
    while at < len {
        window.clear();
        let end = len.min(at + WINDOW);
        if copy_range(file.as_ref(), at, end, &mut window).is_err()
            || input.write_all(&window).is_err()
        {
            return;
        }
        at = end;
    }
}

fn wait(child: &mut Child, until: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(TICK),
            _ => {
                let _ = child.kill().and_then(|()| child.wait());
                return false;
            }
        }
    }
}
