//! Running another program on files in a private folder, for a limited time.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How much of what a program says is kept.
const KEPT_OUTPUT: u64 = 64 * 1024;

/// A program that came to its end.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit code; absent when it was ended by a signal.
    pub(crate) code: Option<i32>,
    /// What it said on both outputs, the first 64 KiB.
    pub(crate) output: String,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub(crate) enum NotRan {
    TimedOut(Duration),
    Failed(std::io::Error),
}

impl std::fmt::Display for NotRan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TimedOut(limit) => write!(f, "not finished after {} s", limit.as_secs_f32()),
            Self::Failed(error) => write!(f, "could not be run: {error}"),
        }
    }
}

/// Runs `program` in `folder`, killing it when `limit` is over or when the caller goes away.
pub(crate) async fn run<A: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = A>,
    folder: &Path,
    limit: Duration,
) -> Result<Ran, NotRan> {
    let said = folder.join("said.txt");
    // a file instead of a pipe: what is said can be neither too much to hold nor left unread
    let output = File::create(&said).map_err(NotRan::Failed)?;
    let errors = output.try_clone().map_err(NotRan::Failed)?;
    let child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("TMPDIR", folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .kill_on_drop(true)
        .spawn()
        .map_err(NotRan::Failed)?;
    let mut running = Running(Some(child));
    let status = match timeout(limit, running.wait()).await {
        Ok(status) => status.map_err(NotRan::Failed)?,
        Err(_) => return Err(NotRan::TimedOut(limit)),
    };
    Ok(Ran { code: status.code(), output: head_of(&said).map_err(NotRan::Failed)? })
}

/// A program under way. Whoever drops it, because time is over or because the caller went away,
/// has it killed and its end collected, so that no defunct process stays behind.
struct Running(Option<Child>);

impl Running {
    async fn wait(&mut self) -> std::io::Result<ExitStatus> {
        let Some(child) = &mut self.0 else { return Err(std::io::ErrorKind::NotFound.into()) };
        let status = child.wait().await;
        self.0 = None;
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.0.take() else { return };
        // a program that has ended already is what is wanted
        let _ = child.start_kill();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { child.wait().await });
        }
    }
}

fn head_of(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(KEPT_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Looks for a program in the folders of `PATH`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
