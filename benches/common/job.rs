//! What the Rust programs of the benches share: command line, meters, and the report line.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest, Sha256};

pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// One job as the command line gives it.
pub struct Job {
    /// Address of the answer server, `http://127.0.0.1:PORT`.
    pub url: String,
    /// Bearer token of the conversion request.
    pub token: String,
    /// Folder of the results.
    pub out: PathBuf,
    /// How many times the call is made over one connection (job B); 1 is job A.
    pub repeat: usize,
    /// File with the authority that the server's certificate is of, where it speaks TLS.
    #[allow(dead_code, reason = "not every program speaks TLS")]
    pub ca: Option<PathBuf>,
    /// Calls under way at the same time (job C).
    #[allow(dead_code, reason = "not every program does job C")]
    pub jobs: usize,
    /// The documents.
    pub files: Vec<PathBuf>,
}

impl Job {
    /// Reads `--url U --token T --out DIR --repeat N --ca FILE --jobs N FILES...`; each option may
    /// be left out.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut job = Job {
            url: String::new(),
            token: "bench-token".into(),
            out: PathBuf::from("."),
            repeat: 1,
            ca: None,
            jobs: 1,
            files: Vec::new(),
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--url" => job.url = value()?,
                "--token" => job.token = value()?,
                "--out" => job.out = PathBuf::from(value()?),
                "--repeat" => job.repeat = value()?.parse()?,
                "--ca" => job.ca = Some(PathBuf::from(value()?)),
                "--jobs" => job.jobs = value()?.parse()?,
                option if option.starts_with("--") => {
                    return Err(format!("unknown option {option}").into());
                }
                _ => job.files.push(PathBuf::from(&arg)),
            }
        }
        if job.files.is_empty() || job.repeat == 0 {
            return Err("at least one file and one call are needed".into());
        }
        Ok(job)
    }

    /// The same job with some of its documents.
    #[allow(dead_code, reason = "not every program does job C")]
    pub fn with(&self, files: &[PathBuf]) -> Self {
        Self {
            url: self.url.clone(),
            token: self.token.clone(),
            out: self.out.clone(),
            ca: self.ca.clone(),
            files: files.to_vec(),
            ..*self
        }
    }

    /// Where the result of each document goes: `OUT/<stem>.pdf`.
    pub fn outputs(&self) -> Fallible<Vec<PathBuf>> {
        let name = |file: &PathBuf| {
            let stem = file.file_stem().ok_or_else(|| format!("no file name: {file:?}"))?;
            Ok(self.out.join(stem).with_extension("pdf"))
        };
        self.files.iter().map(name).collect()
    }
}

/// User and system time of the whole process, all threads.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// A line of `/proc/self/status` in KiB.
fn status_kib(key: &str) -> Fallible<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let number = line.and_then(|rest| rest.trim_start_matches(':').split_whitespace().next());
    Ok(number.ok_or_else(|| format!("no {key} in /proc/self/status"))?.parse()?)
}

/// What a job cost.
pub struct Measured {
    pub wall: Duration,
    pub cpu: Duration,
    pub rss_before_kib: u64,
    pub peak_kib: u64,
    /// Wall and CPU time of each call, in order.
    pub calls: Vec<(Duration, Duration)>,
}

/// Runs `call` `repeat` times and measures the whole and each call.
pub fn measure(repeat: usize, mut call: impl FnMut() -> Fallible<()>) -> Fallible<Measured> {
    let mut calls = Vec::with_capacity(repeat);
    // "5" sets the high-water mark back to the present size. Where that is not allowed the peak
    // also covers the start of the process, so it can only be reported too high.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let rss_before_kib = status_kib("VmRSS")?;
    let (wall, cpu) = (Instant::now(), cpu_time());
    for _ in 0..repeat {
        let (call_wall, call_cpu) = (Instant::now(), cpu_time());
        call()?;
        calls.push((call_wall.elapsed(), cpu_time().saturating_sub(call_cpu)));
    }
    let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
    Ok(Measured { wall, cpu, rss_before_kib, peak_kib: status_kib("VmHWM")?, calls })
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn median_ms(durations: impl Iterator<Item = Duration>) -> f64 {
    let mut sorted: Vec<Duration> = durations.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().map_or(0.0, ms)
}

fn sha256(path: &Path) -> Fallible<String> {
    let mut file = fs::File::open(path)?;
    let mut window = vec![0; 256 * 1024];
    let mut hash = Sha256::new();
    loop {
        let n = file.read(&mut window)?;
        if n == 0 {
            break;
        }
        hash.update(window.get(..n).unwrap_or_default());
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}

/// Prints the one JSON line of a run. The outputs are hashed here, after the measured part.
pub fn report(program: &str, job: &Job, m: &Measured, outputs: &[PathBuf]) -> Fallible<()> {
    let mut hashes = Vec::with_capacity(outputs.len());
    for output in outputs {
        hashes.push(format!("\"{}\"", sha256(output)?));
    }
    let mut line = format!(
        "{{\"program\":\"{program}\",\"documents\":{},\"wall_ms\":{:.3},\"cpu_ms\":{:.3},\
         \"rss_before_kib\":{},\"peak_kib\":{}",
        job.files.len(),
        ms(m.wall),
        ms(m.cpu),
        m.rss_before_kib,
        m.peak_kib
    );
    if let (Some((wall, cpu)), true) = (m.calls.first(), m.calls.len() > 1) {
        let warm = || m.calls.iter().skip(1);
        write!(
            line,
            ",\"calls\":{},\"first_wall_ms\":{:.4},\"first_cpu_ms\":{:.4},\
             \"call_wall_ms\":{:.4},\"call_cpu_ms\":{:.4}",
            m.calls.len(),
            ms(*wall),
            ms(*cpu),
            median_ms(warm().map(|call| call.0)),
            median_ms(warm().map(|call| call.1))
        )?;
    }
    println!("{line},\"sha256\":[{}]}}", hashes.join(","));
    Ok(())
}
