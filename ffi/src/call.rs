//! `signdoc_call`: watching, following and ending one call.

use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signdoc_core::order::ReceptionWatch;
use signdoc_core::trace::{Event, Level};
use signdoc_core::{CallOptions, Code, Error, Progress, Result, StateWatch, Trace};

use crate::answer::{Answer, signdoc_answer};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::options::locked;
use crate::view::{NO_TEXT, text};

/// A view of one call: other threads and signal handlers may end the call and see how far it is;
/// functions of the caller's are told of it while it is under way; afterwards it tells the last
/// answer. Optional; given to a function that waits, and used for one call at a time. Freed with
/// signdoc_call_free after that function has returned.
pub struct signdoc_call {
    _opaque: [u8; 0],
}

/// A log level: each request and answer.
pub const SIGNDOC_LOG_DEBUG: i32 = 1;
/// A log level: what changed, such as a new token.
pub const SIGNDOC_LOG_INFO: i32 = 2;
/// A log level: a repetition or a failure that the caller may not see otherwise.
pub const SIGNDOC_LOG_WARNING: i32 = 3;

/// Is told how far a call is, in bytes, as signdoc_call_progress tells it. Anything but 0 ends the
/// call with SIGNDOC_E_CALLBACK_FAILED.
pub type signdoc_progress_fn = Option<
    unsafe extern "C" fn(context: *mut c_void, to_send: u64, sent: u64, received: u64) -> i32,
>;

/// Is told what a call does: a level (SIGNDOC_LOG_...), what marks the call in logs, and what
/// happened, without secrets. The texts live until the function returns. Anything but 0 ends the
/// call with SIGNDOC_E_CALLBACK_FAILED.
pub type signdoc_log_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        level: i32,
        correlation_id: *const c_char,
        message: *const c_char,
    ) -> i32,
>;

/// Is told each new state of an order that signdoc_order_wait waits for; the text lives until the
/// function returns. Anything but 0 ends the call with SIGNDOC_E_CALLBACK_FAILED.
pub type signdoc_state_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, state: *const c_char) -> i32>;

#[derive(Default)]
pub(crate) struct Watch {
    cancelled: AtomicBool,
    told: Mutex<Told>,
    limits: Mutex<Limits>,
    /// Of the call under way, or of the last one.
    record: Mutex<Record>,
}

/// What calls may take for a connection, and of silence; the client's own limits where not set.
#[derive(Clone, Copy, Default)]
struct Limits {
    connect: Option<Duration>,
    read: Option<Duration>,
}

#[derive(Default)]
struct Record {
    progress: Progress,
    trace: Trace,
    /// What marks the call in logs, as C wants it.
    id: CString,
    /// The progress that was told last.
    seen: Option<(u64, u64, u64)>,
    /// Whether results are being received that nobody else has.
    reception: ReceptionWatch,
    /// The states of the order that is waited for.
    states: Option<StateWatch>,
}

/// The caller's functions; called by the thread that waits, and by no other.
#[derive(Clone, Copy, Default)]
struct Told {
    progress: Option<Listener<signdoc_progress_fn>>,
    log: Option<Listener<signdoc_log_fn>>,
    state: Option<Listener<signdoc_state_fn>>,
    least: i32,
}

#[derive(Clone, Copy)]
struct Listener<F> {
    function: F,
    context: *mut c_void,
}

impl Handle for signdoc_call {
    type Value = Watch;
    const TAG: u64 = u64::from_le_bytes(*b"sd-call-");
    const KIND: &'static str = "signdoc_call";
}

/// The settings of a call: its time limits (0: the client's) and what is recorded of it.
pub(crate) fn settings(timeout_ms: u64, watch: Option<&Watch>) -> CallOptions {
    let mut options = CallOptions { timeout: limit(timeout_ms), ..CallOptions::default() };
    if let Some(watch) = watch {
        let limits = *locked(&watch.limits);
        options.connect_timeout = limits.connect;
        options.read_timeout = limits.read;
        let mut record = locked(&watch.record);
        *record = Record { reception: ReceptionWatch::keeping(), ..Record::default() };
        record.id = text(record.trace.correlation_id());
        options.progress = record.progress.clone();
        options.trace = record.trace.clone();
        options.reception = record.reception.clone();
    }
    options
}

fn limit(milliseconds: u64) -> Option<Duration> {
    (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
}

impl Watch {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Fails where the call was ended by signdoc_call_cancel.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::new(Code::Cancelled, "the call was ended by signdoc_call_cancel"));
        }
        Ok(())
    }

    /// What to tell where the waiting ends early: that a reception goes on, else `stopped`. Results
    /// that are on the way to nobody any more are put aside.
    pub(crate) fn left(&self, stopped: Error) -> Error {
        let reception = std::mem::take(&mut locked(&self.record).reception);
        reception.stopped(&stopped.to_string()).unwrap_or(stopped)
    }

    /// Says that the caller has the results.
    pub(crate) fn claimed(&self) {
        locked(&self.record).reception.claimed();
    }

    /// Has the states of the order that is waited for told as well.
    pub(crate) fn follow(&self, states: StateWatch) {
        locked(&self.record).states = Some(states);
    }

    /// Tells the caller's functions what is new. No lock is held while they run.
    pub(crate) fn tell(&self) -> Result<()> {
        let told = *locked(&self.told);
        let (events, progress) = self.news(&told);
        if let Some(listener) = told.log {
            let mut new = events.iter().filter(|event| number(event.level) >= told.least);
            new.try_for_each(|event| listener.log(event))?;
        }
        if let (Some(listener), Some(now)) = (told.progress, progress) {
            listener.progress(now)?;
        }
        let Some(listener) = told.state else { return Ok(()) };
        let states = locked(&self.record).states.clone();
        let new = states.map(|states| states.take_states()).unwrap_or_default();
        new.iter().try_for_each(|state| listener.state(state))
    }

    fn news(&self, told: &Told) -> (Vec<Event>, Option<(u64, u64, u64)>) {
        let mut record = locked(&self.record);
        let events = if told.log.is_some() { record.trace.take_events() } else { Vec::new() };
        let progress = &record.progress;
        let now = (progress.to_send(), progress.sent(), progress.received());
        let is_new = told.progress.is_some() && record.seen.replace(now) != Some(now);
        (events, is_new.then_some(now))
    }
}

impl Listener<signdoc_log_fn> {
    fn log(self, event: &Event) -> Result<()> {
        let Some(function) = self.function else { return Ok(()) };
        let (id, message) = (text(&event.correlation_id), text(&event.message));
        let level = number(event.level);
        // SAFETY: signdoc_call_set_log asks the caller for just that; the texts are alive.
        let given = unsafe { function(self.context, level, id.as_ptr(), message.as_ptr()) };
        answered("log", given)
    }
}

impl Listener<signdoc_progress_fn> {
    fn progress(self, (to_send, sent, received): (u64, u64, u64)) -> Result<()> {
        let Some(function) = self.function else { return Ok(()) };
        // SAFETY: signdoc_call_set_progress asks the caller for just that.
        let given = unsafe { function(self.context, to_send, sent, received) };
        answered("progress", given)
    }
}

impl Listener<signdoc_state_fn> {
    fn state(self, state: &str) -> Result<()> {
        let Some(function) = self.function else { return Ok(()) };
        let state = text(state);
        // SAFETY: signdoc_call_set_state asks the caller for just that; the text is alive.
        answered("state", unsafe { function(self.context, state.as_ptr()) })
    }
}

fn answered(which: &str, given: i32) -> Result<()> {
    if given == 0 {
        return Ok(());
    }
    let message = format!("the {which} function of the caller gave {given}, which ended the call");
    Err(Error::new(Code::CallbackFailed, message)
        .with_detail("callback", which)
        .with_detail("given", given))
}

fn number(level: Level) -> i32 {
    match level {
        Level::Debug => SIGNDOC_LOG_DEBUG,
        Level::Info => SIGNDOC_LOG_INFO,
        Level::Warning => SIGNDOC_LOG_WARNING,
    }
}

/// A view of a call. NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_call_new() -> *mut signdoc_call {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_call_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Watch::default())))
}

/// Ends the call that was given this view: it returns SIGNDOC_E_CANCELLED within 100 milliseconds,
/// unless its result is there already. A call that starts later with this view ends at once. From
/// any thread, and from a signal handler. NULL is fine.
///
/// A download whose request has left returns SIGNDOC_E_RECEPTION_CONTINUES instead: the results are
/// received all the same, see signdoc_order_download.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_cancel(call: *mut signdoc_call) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_cancel") }.get((), |entry| {
        if let Some(watch) = entry.optional(call, "call")? {
            watch.cancelled.store(true, Ordering::Release);
        }
        Ok(())
    });
}

/// Sets what calls with this view may take, in milliseconds: `connect_ms` for a connection to be
/// made (SIGNDOC_E_CONNECT_TIMEOUT), `read_ms` of silence on one (SIGNDOC_E_READ_TIMEOUT). 0: the
/// client's own limit, connect_timeout or read_timeout, which is where it begins. A call under way
/// keeps the limits it began with. The time a call may take in all is its argument `timeout_ms`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_set_timeouts(
    call: *const signdoc_call,
    connect_ms: u64,
    read_ms: u64,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_set_timeouts") }.status(error, |entry| {
        let watch = entry.handle(call, "call")?;
        *locked(&watch.limits) = Limits { connect: limit(connect_ms), read: limit(read_ms) };
        Ok(())
    })
}

/// How far the call is, in bytes of the request and answer bodies. `to_send` gets the size of the
/// request (0 until it starts), `sent` what the connection took so far (from 0 again where the
/// request is repeated), `received` what came back so far. Each of the three may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_progress(
    call: *const signdoc_call,
    to_send: *mut u64,
    sent: *mut u64,
    received: *mut u64,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_progress") }.status(error, |entry| {
        let progress = locked(&entry.handle(call, "call")?.record).progress.clone();
        let counters = [
            (to_send, progress.to_send()),
            (sent, progress.sent()),
            (received, progress.received()),
        ];
        for (pointer, value) in counters {
            if let Ok(place) = entry.place(pointer, "counter") {
                place.put(value);
            }
        }
        Ok(())
    })
}

/// Has `function` told how far calls with this view are: about every 20 milliseconds while
/// something moves, and once at the end. NULL: nobody is told, which is where it begins.
///
/// It is called by the thread that waits in the call, and by no other; `context` is handed to it.
/// It may use the library, signdoc_call_cancel included, but must neither jump out of the call nor
/// let an exception out. Once the result is there, its failure changes nothing any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_set_progress(
    call: *const signdoc_call,
    function: signdoc_progress_fn,
    context: *mut c_void,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_set_progress") }.status(error, |entry| {
        let watch = entry.handle(call, "call")?;
        locked(&watch.told).progress = function.map(|_| Listener { function, context });
        Ok(())
    })
}

/// Has `function` told what calls with this view do, from `least` (SIGNDOC_LOG_...) on. NULL:
/// nobody is told. The rules of signdoc_call_set_progress hold.
///
/// The environment variable SIGNDOC_LOG ("debug", "info" or "warning") writes the same to standard
/// error, for all calls.
///
/// SIGNDOC_E_INVALID_ARGUMENT where `least` is no level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_set_log(
    call: *const signdoc_call,
    least: i32,
    function: signdoc_log_fn,
    context: *mut c_void,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_set_log") }.status(error, |entry| {
        let watch = entry.handle(call, "call")?;
        if !(SIGNDOC_LOG_DEBUG..=SIGNDOC_LOG_WARNING).contains(&least) {
            let message = format!("least is {least}; pass one of SIGNDOC_LOG_...");
            return Err(Error::new(Code::InvalidArgument, message));
        }
        let mut told = locked(&watch.told);
        told.log = function.map(|_| Listener { function, context });
        told.least = least;
        Ok(())
    })
}

/// Has `function` told the states of the order that signdoc_order_wait waits for. NULL: nobody is
/// told. The rules of signdoc_call_set_progress hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_set_state(
    call: *const signdoc_call,
    function: signdoc_state_fn,
    context: *mut c_void,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_set_state") }.status(error, |entry| {
        let watch = entry.handle(call, "call")?;
        locked(&watch.told).state = function.map(|_| Listener { function, context });
        Ok(())
    })
}

/// What marks the call in logs, the same text for all it did: that of the call under way, or of
/// the last one. Never NULL; empty before the first call. It lives until the next call with this
/// view begins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_correlation_id(call: *const signdoc_call) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_correlation_id") }
        .get(NO_TEXT, |entry| Ok(locked(&entry.handle(call, "call")?.record).id.as_ptr()))
}

/// The last answer that the last call with this view got, as it came and also where the call went
/// well: for support. It may be that of a token or discovery request. `*out` gets NULL where no
/// answer came; else it is freed with signdoc_answer_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_last_answer(
    call: *const signdoc_call,
    out: *mut *mut signdoc_answer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_last_answer") }.status(error, |entry| {
        let watch = entry.handle(call, "call")?;
        let out = entry.place(out, "out")?;
        let last = locked(&watch.record).trace.last_answer();
        out.put(last.map_or(ptr::null_mut(), |last| handle::new(Answer::new(&last))));
        Ok(())
    })
}

/// Frees a view of a call. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_free(call: *mut signdoc_call) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_free") }.get((), |entry| {
        entry.free(call);
        Ok(())
    });
}
