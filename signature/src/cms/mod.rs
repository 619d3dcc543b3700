//! Cryptographic Message Syntax (RFC 5652): building, reading and checking SignedData as PDF
//! signatures, timestamps and SEID-SDO carry it.
//!
//! Signing happens in three steps, so that the private key can be anywhere:
//! [`signed_attributes`] → sign [`SignedAttributes::hash_to_sign`] → [`assemble`].

mod attributes;
mod build;
mod ess;
mod parse;
mod verify;

pub use attributes::{Attribute, Attributes};
pub use build::{
    Assembly, AttributeOptions, CertificateReference, SignedAttributes, add_unsigned_attribute,
    assemble, ecdsa_to_der, signed_attributes, size_estimate,
};
pub use ess::CertificateId;
pub use parse::{ArchivedRevocation, SignedData, SignerId, SignerInfo};
pub use verify::{Leniency, Problem, ProblemKind, Verification};
