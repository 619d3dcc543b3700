//! X.509 certificates, names, trust anchors and chains (RFC 5280).

mod anchors;
mod budget;
mod certificate;
mod chain;
mod constraints;
mod extensions;
mod general_name;
mod name;
mod pem;
mod policy;
mod usage;

pub use anchors::TrustAnchors;
pub use certificate::Certificate;
pub(crate) use certificate::{span, verify_signed};
pub use chain::{Chain, ChainFailure, ChainFault, ChainRequest, Purpose};
pub(crate) use extensions::read_extensions;
pub use extensions::{Extension, Extensions, KeyUsage};
pub(crate) use general_name::GeneralName;
pub use name::Name;
pub use pem::{pem_blocks, to_pem};
pub use policy::PolicyDemands;
pub use usage::{Accepted, Fit, SignerPurposes, UnknownPurpose};
