//! What no folder took: the service has deleted the order, and this process alone has the bytes.
//! They are written wherever there is room; where there is none, until somebody makes some.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use signdoc::{Code, Download, Error};
use tempfile::TempDir;

use super::parts::parts;
use crate::Interrupted;
use crate::call::LOOK;
use crate::screen::{Screen, plain, quoted};
use crate::stop::Hold;
use crate::{place, report};

/// How often it is tried again.
const PAUSE: Duration = Duration::from_secs(3);
/// How long without anybody who could see that room is needed.
const UNSEEN: Duration = Duration::from_secs(10 * 60);

/// Bytes that are in no file.
#[derive(Clone)]
struct Piece {
    index: Option<usize>,
    key: &'static str,
    stem: String,
    suffix: &'static str,
    bytes: Bytes,
}

/// All that is in no file of one order.
pub(super) struct Homeless {
    sign_id: String,
    pieces: Vec<Piece>,
    /// Whether it is nowhere else, so that no patience is too much.
    is_only_copy: bool,
    /// Whether this is all that a download brought and no folder took.
    is_all: bool,
}

impl Homeless {
    /// What a failed download carries in memory.
    pub(super) fn of_error(error: &Error, sign_id: &str, names: &[Option<String>]) -> Self {
        let mut all = match error.download() {
            Some(download) => Self::of_download(download, sign_id, names),
            None => Self {
                sign_id: sign_id.to_owned(),
                pieces: Vec::new(),
                is_only_copy: true,
                is_all: true,
            },
        };
        let raw = error.raw_answer();
        all.is_only_copy = raw.is_some() || !error.details().contains_key("raw_answer");
        // Where only a folder failed, the documents are all there is in the answer. This detail
        // says that more than that is wrong with it.
        let is_whole = error.code() == Code::DestinationFailed
            && !error.details().contains_key("bytes_arrived");
        all.is_all = is_whole;
        let is_needed = !is_whole || all.pieces.is_empty();
        if let Some(raw) = raw.filter(|_| is_needed) {
            all.pieces.push(Piece {
                index: None,
                key: "raw_answer",
                // As a download calls it, so that `signdoc recover` finds it.
                stem: format!(".signdoc-{}", place::stem(sign_id)),
                suffix: "-1.answer.part",
                bytes: raw.clone(),
            });
        }
        all
    }

    /// The parts of a download that went to memory.
    pub(super) fn of_download(
        download: &Download,
        sign_id: &str,
        names: &[Option<String>],
    ) -> Self {
        let piece = |part: super::parts::Part<'_>| {
            let name = names.get(part.index).cloned().flatten();
            let own = || format!("{sign_id}-{}", part.index + 1);
            let bytes = part.data.filter(|_| part.path.is_none())?.clone();
            Some(Piece {
                index: Some(part.index),
                key: part.key,
                stem: place::stem(&name.unwrap_or_else(own)),
                suffix: part.suffix,
                bytes,
            })
        };
        let pieces = parts(download).into_iter().filter_map(piece).collect();
        Self { sign_id: sign_id.to_owned(), pieces, is_only_copy: true, is_all: true }
    }

    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    fn them(&self) -> &'static str {
        if self.pieces.len() == 1 { "it" } else { "them" }
    }

    fn told(&self) -> String {
        let files =
            if self.pieces.len() == 1 { "1 file" } else { &format!("{} files", self.pieces.len()) };
        let bytes = self.pieces.iter().map(|piece| piece.bytes.len() as u64).sum();
        format!("{files} of the order {} ({})", plain(&self.sign_id), report::size(bytes))
    }
}

/// Where there may be room.
pub(super) struct Homes {
    /// The folder that was named.
    wanted: Option<PathBuf>,
    /// Others, where a new private folder is made.
    others: Vec<PathBuf>,
}

impl Homes {
    pub(super) fn new(wanted: Option<&Path>, fallback: &Path) -> Self {
        let mut others = vec![fallback.to_owned(), std::env::temp_dir()];
        others.extend(std::env::home_dir());
        others.extend(std::env::current_dir());
        let mut seen = Vec::new();
        others.retain(|folder| {
            let one = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let is_new = !seen.contains(&one);
            seen.push(one);
            is_new
        });
        Self { wanted: wanted.map(Path::to_owned), others }
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.wanted.iter().chain(&self.others)
    }

    /// Writes a piece to the first place that takes it; `made` are the private folders so far.
    fn take(&self, piece: &Piece, sign_id: &str, made: &mut Vec<Made>) -> Option<PathBuf> {
        let write =
            |folder: &Path| place::write_new(folder, &piece.stem, piece.suffix, &piece.bytes).ok();
        if let Some(path) = self.wanted.as_deref().and_then(write) {
            return Some(path);
        }
        self.others.iter().find_map(|parent| {
            let known = made.iter().position(|one| one.parent == *parent);
            let at = match known {
                Some(at) => at,
                None => {
                    made.push(Made::new(parent, sign_id)?);
                    made.len() - 1
                }
            };
            let own = made.get_mut(at)?;
            let path = write(own.folder.path())?;
            own.is_used = true;
            Some(path)
        })
    }
}

/// A private folder, gone again where nothing was put into it.
struct Made {
    parent: PathBuf,
    folder: TempDir,
    is_used: bool,
}

impl Made {
    fn new(parent: &Path, sign_id: &str) -> Option<Self> {
        // The fallback folder may be one that is to be made.
        let _ = std::fs::create_dir_all(parent);
        let prefix = format!("signdoc-{}-", place::stem(sign_id));
        let builder = &mut tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix(&prefix).tempdir_in(parent).ok()?;
        Some(Self { parent: parent.to_owned(), folder, is_used: false })
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if self.is_used {
            self.folder.disable_cleanup(true);
        }
    }
}

/// A piece that is a file now.
pub(super) struct Saved {
    pub(super) index: Option<usize>,
    pub(super) key: &'static str,
    pub(super) path: PathBuf,
}

impl Saved {
    pub(super) fn to_json(&self) -> Value {
        json!({"index": self.index, "part": self.key, "path": self.path.display().to_string()})
    }
}

/// Writes everything somewhere, however long that takes; gives what is saved, and leaves in
/// `homeless` what had to be given up.
pub(super) fn save(
    homeless: &mut Homeless,
    homes: &Homes,
    interrupted: Interrupted<'_>,
    screen: &mut Screen,
) -> Vec<Saved> {
    let _hold = Hold::begin();
    let (mut made, mut saved) = (Vec::new(), Vec::new());
    let is_seen = std::io::stderr().is_terminal();
    let begun = Instant::now();
    let mut asked: Option<usize> = None;
    let mut is_warned = false;
    loop {
        let sign_id = homeless.sign_id.clone();
        homeless.pieces.retain(|piece| match homes.take(piece, &sign_id, &mut made) {
            Some(path) => {
                saved.push(Saved { index: piece.index, key: piece.key, path });
                false
            }
            None => true,
        });
        let is_patient = homeless.is_only_copy && (is_seen || begun.elapsed() < UNSEEN);
        if homeless.is_empty() || !is_patient {
            return saved;
        }
        let before = *asked.get_or_insert_with(|| {
            // Whoever answers at once must be heard.
            let before = interrupted.count();
            tell_no_room(homeless, homes, is_seen, screen);
            before
        });
        let again = Instant::now() + PAUSE;
        while Instant::now() < again {
            match interrupted.count().saturating_sub(before) {
                0 => {}
                1 if !is_warned => {
                    is_warned = true;
                    let told = homeless.told();
                    let them = homeless.them();
                    screen.say(&format!(
                        "{told} will be lost for good; press Ctrl-C again to lose {them}"
                    ));
                }
                1 => {}
                _ => return saved,
            }
            std::thread::sleep(LOOK);
        }
    }
}

fn tell_no_room(homeless: &Homeless, homes: &Homes, is_seen: bool, screen: &mut Screen) {
    let them = homeless.them();
    let time = if is_seen { "" } else { " for 10 minutes" };
    screen.problem(&format!(
        "no room for {}: no folder takes {them}, and only this program has {them}, because the service has deleted the order",
        homeless.told()
    ));
    screen.say(&format!(
        "Make room in one of these folders; this program tries again every {} s{time}:",
        PAUSE.as_secs()
    ));
    for folder in homes.all() {
        screen.note(&format!("  {}", plain(&folder.display().to_string())));
    }
}

/// Saves what a failed download has in memory; the error tells where it is then.
pub(super) fn rescue(
    error: Error,
    mut homeless: Homeless,
    homes: Homes,
    interrupted: Interrupted<'_>,
    screen: &mut Screen,
) -> Error {
    if homeless.is_empty() {
        return error;
    }
    let saved = save(&mut homeless, &homes, interrupted, screen);
    // What is told of bytes in memory is over: nobody can see them.
    let clauses = error.message().split("; ").filter(|clause| !clause.contains("this error"));
    let mut told = clauses.collect::<Vec<_>>().join("; ");
    for folder in folders(&saved) {
        let (raw, rest): (Vec<&Saved>, Vec<&Saved>) = saved
            .iter()
            .filter(|one| one.path.parent() == Some(folder))
            .partition(|one| one.key == "raw_answer");
        if !rest.is_empty() {
            told.push_str(&format!("; what found no room at first is in {}", folder.display()));
        }
        if !raw.is_empty() {
            told.push_str(&format!(
                "; the answer as it came is in {}, and `signdoc recover {}` reads it",
                folder.display(),
                quoted(folder)
            ));
        }
    }
    let raw = error.details().get("raw_answer").and_then(Value::as_str);
    match (homeless.is_empty(), homeless.is_only_copy, raw) {
        (true, ..) => {}
        (false, false, Some(raw)) => {
            told.push_str(&format!("; the answer as it came is safe in {raw}"));
            if let Some(folder) = &homes.wanted {
                told.push_str(&format!(": make room, then `signdoc recover {}`", quoted(folder)));
            }
        }
        _ => told.push_str(&format!(
            "; {} found no room anywhere and had to be given up",
            homeless.told()
        )),
    }
    let saved: Vec<Value> = saved.iter().map(Saved::to_json).collect();
    let error = error.with_message(told).with_detail("saved", saved);
    // Then nothing is left for a recovery to find.
    error.with_detail("all_saved", homeless.is_all && homeless.is_empty())
}

/// The folders that something was written to, each once.
fn folders(saved: &[Saved]) -> Vec<&Path> {
    let mut folders: Vec<&Path> = saved.iter().filter_map(|one| one.path.parent()).collect();
    folders.sort();
    folders.dedup();
    folders
}
