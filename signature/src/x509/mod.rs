//! X.509 certificates, names, trust anchors and chains (RFC 5280).

mod anchors;
mod certificate;
mod chain;
mod extensions;
mod name;
mod pem;
mod usage;

pub use anchors::TrustAnchors;
pub use certificate::Certificate;
pub(crate) use certificate::{span, verify_signed};
pub use chain::{Chain, ChainFailure, ChainFault, ChainRequest, Purpose};
pub use extensions::{Extension, Extensions, KeyUsage};
pub(crate) use extensions::{point_name_urls, read_extensions};
pub use name::Name;
pub use pem::{pem_blocks, to_pem};
pub use usage::{Accepted, Fit, SignerPurposes, UnknownPurpose};
