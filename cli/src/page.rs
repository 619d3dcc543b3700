//! Pages for people: written whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::ArgPredicate;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use signdoc::html::{Pictures, draw};
use signdoc::pdf::pdf::SharedSource;
use signdoc::{Code, Error, Result};

/// The option that says where the page goes, and the one for its pictures.
pub(crate) fn args(name: &'static str, help: &'static str) -> [Arg; 2] {
    let pictures = "show the pages as pictures: runs Poppler's pdftoppm on the file; without, \
                    pages are outlines";
    [
        Arg::new(name)
            .long(name)
            .value_name("PAGE")
            .value_parser(value_parser!(PathBuf))
            .help(help),
        Arg::new("pictures")
            .long("pictures")
            .action(ArgAction::SetTrue)
            .requires_if(ArgPredicate::Equals("true".into()), name)
            .help(pictures),
    ]
}

/// Pictures of the pages that a report shows, where they were asked for.
pub(crate) fn pictures(
    matches: &ArgMatches,
    path: &Path,
    report: &serde_json::Value,
) -> Result<Pictures> {
    if !matches.get_flag("pictures") {
        return Ok(Pictures::default());
    }
    let file: SharedSource = crate::inputs::open(path)?;
    draw(&file, report)
}

/// What a file is called on a page: its name without its folders.
pub(crate) fn title(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Writes the page; one that is there already is replaced.
pub(crate) fn write(path: &Path, html: &str) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| {
        let why = format!("{} cannot be written: {error}", path.display());
        Error::new(Code::DestinationFailed, why)
    };
    let builder = &mut tempfile::Builder::new();
    // Mode 0600: it names people.
    let mut file =
        builder.prefix(".signdoc-").suffix(".part").tempfile_in(folder).map_err(failed)?;
    file.write_all(html.as_bytes()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
