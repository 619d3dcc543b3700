//! One small helper: a lock that outlives a panicking holder.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. A panic elsewhere must not take the whole sandbox down, and every value kept
/// behind these locks stays consistent between statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
