//! Hash functions, signature algorithms and public keys.

mod algorithm;
mod curve;
mod hash;
mod key;
mod meter;
mod names;

pub use algorithm::{Algorithm, AlgorithmIdentifier, Unsupported};
pub use curve::{Curve, CurveKey};
pub(crate) use hash::sha1_for_identification;
pub use hash::{HashAlgorithm, Hasher};
#[cfg(feature = "pki")]
pub(crate) use key::digest_info_prefix;
pub use key::{DigestInfo, KeyKind, PublicKey, SignatureMismatch};
pub(crate) use meter::Metered;
