//! PDF and SEID-SDO signatures, offline.

pub mod asic;
pub mod asn1;
pub mod cms;
mod compare;
pub mod crypto;
#[cfg(feature = "fixtures")]
pub mod fixtures;
pub mod pdf;
#[cfg(feature = "pki")]
pub mod pki;
pub mod preflight;
pub mod preview;
pub mod report;
pub mod revocation;
pub mod sdo;
pub mod sign;
pub mod tsp;
pub mod verify;
pub mod x509;
mod xml;
