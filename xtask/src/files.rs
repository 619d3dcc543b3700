//! Where generated files lie, how they are written, and how they are compared.

use std::fs;
use std::path::{Path, PathBuf};

/// A file made from others.
pub struct Generated {
    /// Its path from the root of the repository.
    pub path: &'static str,
    /// The command that writes it.
    pub command: &'static str,
    /// What it must hold.
    pub text: String,
}

/// The root of the repository: the folder above this crate. Cargo tells it anew at each run, so a
/// moved checkout needs no new build.
pub fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Writes those files that are not current.
pub fn write(files: &[Generated]) -> Result<(), String> {
    for file in files {
        let path = root().join(file.path);
        if fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            println!("{} is current", file.path);
            continue;
        }
        let cannot = |e| format!("{} cannot be written: {e}", file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(cannot)?;
        }
        fs::write(&path, &file.text).map_err(cannot)?;
        println!("{} written", file.path);
    }
    Ok(())
}

/// Fails, naming the first difference of each, when a file is not current.
pub fn check(files: &[Generated]) -> Result<(), String> {
    let stale: Vec<String> = files.iter().filter_map(difference).collect();
    if stale.is_empty() {
        println!("{} generated files are current", files.len());
        return Ok(());
    }
    Err(stale.join("\n"))
}

fn difference(file: &Generated) -> Option<String> {
    let Generated { path, command, text } = file;
    let old = match fs::read_to_string(root().join(path)) {
        Ok(old) => old,
        Err(e) => return Some(format!("{path} cannot be read: {e}\n  run: {command}")),
    };
    if old == *text {
        return None;
    }
    let (line, is, should) = first_difference(&old, text);
    Some(format!(
        "{path} is not current, first at line {line}:\n  - {is}\n  + {should}\n  run: {command}"
    ))
}

/// The number of the first line that differs, as it is and as it should be.
fn first_difference<'a>(old: &'a str, new: &'a str) -> (usize, &'a str, &'a str) {
    let (mut is, mut should) = (old.split('\n'), new.split('\n'));
    let mut line = 1;
    loop {
        match (is.next(), should.next()) {
            (Some(a), Some(b)) if a == b => line += 1,
            (a, b) => return (line, a.unwrap_or("(end)"), b.unwrap_or("(end)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_named_with_its_line() {
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), (2, "b", "c"));
        assert_eq!(first_difference("a\n", "a\nb\n"), (2, "", "b"));
        assert_eq!(first_difference("a", "a\nb"), (2, "(end)", "b"));
        assert_eq!(first_difference("", "a"), (1, "", "a"));
    }
}
