//! What checking signatures costs, for whoever verifies a whole document within a limit.
//!
//! One certificate, list or answer may have to be held against many keys of one name, for each
//! signature of a document anew. The checks lie deep below whoever knows the limit, so it is told
//! for the thread, as long as one verification lasts.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Curve, KeyKind};

type Spend = Rc<dyn Fn(u64) -> bool>;

thread_local! {
    static METER: RefCell<Option<Spend>> = const { RefCell::new(None) };
}

/// As long as it lives, each check of a signature on this thread spends what it costs first, and
/// is not made where that fails.
pub(crate) struct Metered {
    outer: Option<Spend>,
}

impl Metered {
    /// `spend` takes units of about 10 ns and says whether there were so many.
    pub(crate) fn by(spend: impl Fn(u64) -> bool + 'static) -> Self {
        Metered { outer: METER.replace(Some(Rc::new(spend))) }
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        METER.set(self.outer.take());
    }
}

/// Spends what one check with a key of this kind costs; `false` where it is too much.
pub(super) fn spend(kind: KeyKind) -> bool {
    let meter = METER.with_borrow(Clone::clone);
    meter.is_none_or(|spend| spend(cost(kind)))
}

/// Measured with the implementations that are used here.
fn cost(kind: KeyKind) -> u64 {
    match kind {
        KeyKind::Rsa(bits) => (bits * bits / 400) as u64,
        KeyKind::Ed25519 => 10_000,
        KeyKind::P256 | KeyKind::Ec(Curve::BrainpoolP256) => 40_000,
        KeyKind::P384 | KeyKind::Ec(Curve::BrainpoolP384) => 120_000,
        KeyKind::Ec(Curve::P521) => 250_000,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn checks_are_counted_as_long_as_the_meter_lives() {
        let left = Rc::new(Cell::new(100_000));
        let take = {
            let left = left.clone();
            move |cost: u64| match u64::checked_sub(left.get(), cost) {
                Some(rest) => {
                    left.set(rest);
                    true
                }
                None => false,
            }
        };
        {
            let _metered = Metered::by(take);
            assert!(spend(KeyKind::P256) && spend(KeyKind::P256) && !spend(KeyKind::P256));
            let _inner = Metered::by(|_| true);
            assert!(spend(KeyKind::P384));
        }
        assert!(spend(KeyKind::P384) && left.get() == 20_000);
    }
}
