//! The two addresses that a sandbox listens at.

use serde::Serialize;

/// The specification has one address for the conversion (`{base_url}`) and one for orders
/// (`{signdoc-baseurl}`). Both serve everything, unless [`crate::Variants::two_addresses`] keeps
/// them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Address {
    /// [`crate::Sandbox::base_url`]: everything but orders.
    Base,
    /// [`crate::Sandbox::orders_url`]: orders only.
    Orders,
}
