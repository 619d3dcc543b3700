//! Being asked to stop: once, and again.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

static HELD: AtomicUsize = AtomicUsize::new(0);

/// Whether the program has something in its hands that must not be lost, such as the results of
/// an order the service has deleted: whoever ends processes on a second signal waits while it has.
#[must_use]
pub fn is_held() -> bool {
    HELD.load(Ordering::SeqCst) > 0
}

/// Something is in the program's hands until this is dropped.
pub(crate) struct Hold(());

impl Hold {
    pub(crate) fn begin() -> Self {
        HELD.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What tells a command to stop, and how often it has told so.
pub(crate) struct Stop<'a> {
    asked: &'a dyn Fn() -> usize,
    given_up: Cell<bool>,
}

impl<'a> Stop<'a> {
    pub(crate) fn new(asked: &'a dyn Fn() -> usize) -> Self {
        Self { asked, given_up: Cell::new(false) }
    }

    /// How often a stop was asked for so far.
    pub(crate) fn count(&self) -> usize {
        (self.asked)()
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.count() > 0
    }

    /// Notes that what is still being received was given up on purpose.
    pub(crate) fn give_up(&self) {
        self.given_up.set(true);
    }

    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up.get()
    }
}

/// Counts how often `asked` begins to say yes.
pub(crate) fn counted(asked: &dyn Fn() -> bool) -> impl Fn() -> usize {
    let (was, count) = (Cell::new(false), Cell::new(0));
    move || {
        let is = asked();
        if is && !was.get() {
            count.set(count.get() + 1);
        }
        was.set(is);
        count.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_it_is_asked_anew_counts_once() {
        let says = Cell::new(false);
        let asked = || says.get();
        let count = counted(&asked);
        assert_eq!(count(), 0);
        for expected in 1..=2 {
            says.set(true);
            assert_eq!((count(), count()), (expected, expected), "it goes on saying so");
            says.set(false);
            assert_eq!(count(), expected);
        }
        let stop = Stop::new(&count);
        assert!(stop.is_wanted() && !stop.has_given_up());
    }
}
