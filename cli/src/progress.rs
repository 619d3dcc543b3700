//! The bar a person watches while a call is under way.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signdoc::Progress;

/// A bar on standard error; invisible where that is no terminal, or where it is unwanted.
pub(crate) struct Bar {
    bar: ProgressBar,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Several calls at a time: their documents are counted.
    Counting,
    Connecting,
    Sending,
    Waiting,
    Receiving,
}

impl Phase {
    fn of(progress: &Progress) -> Self {
        match (progress.to_send(), progress.sent(), progress.received()) {
            (0, ..) => Self::Connecting,
            (_, _, 1..) => Self::Receiving,
            (to_send, sent, 0) if sent < to_send => Self::Sending,
            _ => Self::Waiting,
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::Counting => "{spinner} converting [{bar:30}] {pos} of {len} documents, {elapsed}",
            Self::Connecting => "{spinner} {prefix}connecting",
            Self::Sending => {
                "{spinner} {prefix}sending [{bar:30}] {decimal_bytes} of {decimal_total_bytes}"
            }
            Self::Waiting => "{spinner} {prefix}waiting for the conversion, {elapsed}",
            Self::Receiving => "{spinner} {prefix}receiving {decimal_bytes}",
        }
    }
}

impl Bar {
    pub(crate) fn new(visible: bool) -> Self {
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { bar: ProgressBar::with_draw_target(Some(0), target), phase: Phase::Connecting }
    }

    /// Calls begin: side by side where a number of documents is given, else one after the other.
    pub(crate) fn begin(&mut self, side_by_side: Option<usize>) {
        self.bar.reset_elapsed();
        match side_by_side {
            Some(documents) => {
                self.bar.set_length(documents as u64);
                self.enter(Phase::Counting);
            }
            None => self.enter(Phase::Connecting),
        }
    }

    /// So many of all documents have a result.
    pub(crate) fn known(&mut self, count: usize, total: usize) {
        match self.phase {
            Phase::Counting => self.bar.set_position(count as u64),
            _ => self.bar.set_prefix(format!("{count} of {total} done, ")),
        }
    }

    pub(crate) fn update(&mut self, progress: &Progress) {
        let phase = match self.phase {
            Phase::Counting => Phase::Counting,
            _ => Phase::of(progress),
        };
        if phase != self.phase {
            self.enter(phase);
        }
        match phase {
            Phase::Sending => {
                self.bar.set_length(progress.to_send());
                self.bar.set_position(progress.sent());
            }
            Phase::Receiving => self.bar.set_position(progress.received()),
            Phase::Counting | Phase::Connecting | Phase::Waiting => {}
        }
        self.bar.tick();
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        if let Ok(style) = ProgressStyle::with_template(phase.template()) {
            self.bar.set_style(style.progress_chars("=> "));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_valid() {
        for phase in
            [Phase::Counting, Phase::Connecting, Phase::Sending, Phase::Waiting, Phase::Receiving]
        {
            assert!(ProgressStyle::with_template(phase.template()).is_ok(), "{phase:?}");
        }
    }

    #[test]
    fn a_call_that_has_not_begun_is_connecting() {
        assert_eq!(Phase::of(&Progress::default()), Phase::Connecting);
    }
}
