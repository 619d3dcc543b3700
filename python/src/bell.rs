//! How a thread of the client tells an event loop that something is over, without Python.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// A pair of sockets: numbers are put aside and one byte is written on one end, and an event loop
/// listens to the other. Threads that ring never touch the interpreter, which may be gone by then.
#[pyclass(frozen, module = "signdoc._native")]
pub(crate) struct Bell(Arc<Inner>);

struct Inner {
    listening: UnixStream,
    ringing: UnixStream,
    rung: Mutex<Vec<u64>>,
}

#[pymethods]
impl Bell {
    #[new]
    fn new() -> PyResult<Self> {
        let made = || -> std::io::Result<Inner> {
            let (listening, ringing) = UnixStream::pair()?;
            listening.set_nonblocking(true)?;
            ringing.set_nonblocking(true)?;
            Ok(Inner { listening, ringing, rung: Mutex::default() })
        };
        let inner = made().map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Self(Arc::new(inner)))
    }

    /// What an event loop listens to.
    fn fileno(&self) -> i32 {
        self.0.listening.as_raw_fd()
    }

    /// The numbers that were rung since the last time.
    fn heard(&self) -> Vec<u64> {
        let mut bytes = [0; 64];
        loop {
            match (&self.0.listening).read(&mut bytes) {
                Ok(0) => break,
                Err(error) if error.kind() != ErrorKind::Interrupted => break,
                Ok(_) | Err(_) => {}
            }
        }
        std::mem::take(&mut self.0.rung.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Bell {
    /// Rings `number`.
    pub(crate) fn ring(&self, number: u64) -> impl Fn() + Send + Sync + 'static {
        let inner = self.0.clone();
        move || inner.ring(number)
    }
}

impl Inner {
    fn ring(&self, number: u64) {
        let is_first = {
            let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
            rung.push(number);
            rung.len() == 1
        };
        if is_first {
            // It cannot be full: numbers that were not heard yet have one byte together.
            let _ = (&self.ringing).write(&[1]);
        }
    }
}
