//! How much of names and policies is looked at while one chain is sought.

use super::chain::{ChainFault, Fault};

/// Steps for one search: a name held against one constraint, a policy at one depth.
const MAX_STEPS: usize = 250_000;

/// Steps that are left. Certificates may list thousands of names and constraints, and each would
/// be held against each.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Self {
        Self(MAX_STEPS)
    }

    /// Takes steps for `what`.
    pub(super) fn spend(&mut self, steps: usize, what: &str) -> Result<(), Fault> {
        self.0 = self.0.checked_sub(steps).ok_or_else(|| {
            let detail = format!("the {what} of the chain take more than {MAX_STEPS} steps");
            (ChainFault::Limit, detail)
        })?;
        Ok(())
    }
}
