//! The states of sign orders, as open enums: a state the specification does not name survives as
//! its text.
//!
//! Source: interface specification, States and transitions.

use core::fmt;

/// The state of a PAdES order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PadesState {
    /// Created; the user has not arrived at the identity provider yet.
    OrderReceived,
    /// The identity provider has taken the order over.
    GrabbedByIdp,
    /// The merchant's seals are being made.
    GeneratingMerchantSeals,
    /// The user is signing.
    UserSigning,
    /// Evidence for long-term validation is being added.
    AddDocumentSecurityStore,
    /// The signing failed. Final.
    Failed,
    /// The signing was cancelled. Final.
    Cancelled,
    /// Signed and ready to download. Final.
    SignCompleted,
    /// A state the specification does not name, as the service wrote it.
    Unknown(String),
}

/// The state of a SEID-SDO order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SdoState {
    /// Created; the user has not arrived at the identity provider yet.
    OrderReceived,
    /// The identity provider has taken the order over.
    GrabbedByIdp,
    /// The user is signing.
    UserSigning,
    /// The signing failed. Final.
    Failed,
    /// The signing was cancelled. Final.
    Cancelled,
    /// Signed and ready to download. Final.
    SignCompleted,
    /// A state the specification does not name, as the service wrote it.
    Unknown(String),
}

impl PadesState {
    /// Every state the specification names, in its order.
    pub const KNOWN: &'static [Self] = &[
        Self::OrderReceived,
        Self::GrabbedByIdp,
        Self::GeneratingMerchantSeals,
        Self::UserSigning,
        Self::AddDocumentSecurityStore,
        Self::Failed,
        Self::Cancelled,
        Self::SignCompleted,
    ];

    /// The state's text as the service writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::OrderReceived => "ORDER_RECEIVED",
            Self::GrabbedByIdp => "GRABBED_BY_IDP",
            Self::GeneratingMerchantSeals => "GENERATING_MERCHANT_SEALS",
            Self::UserSigning => "USER_SIGNING",
            Self::AddDocumentSecurityStore => "ADD_DOCUMENT_SECURITY_STORE",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::SignCompleted => "SIGN_COMPLETED",
            Self::Unknown(text) => text,
        }
    }

    /// Whether the order changes no more by itself. An unknown state is not taken for final.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled | Self::SignCompleted)
    }

    /// Whether signed documents are ready to download.
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        matches!(self, Self::SignCompleted)
    }
}

impl SdoState {
    /// Every state the specification names, in its order.
    pub const KNOWN: &'static [Self] = &[
        Self::OrderReceived,
        Self::GrabbedByIdp,
        Self::UserSigning,
        Self::Failed,
        Self::Cancelled,
        Self::SignCompleted,
    ];

    /// The state's text as the service writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::OrderReceived => "ORDER_RECEIVED",
            Self::GrabbedByIdp => "GRABBED_BY_IDP",
            Self::UserSigning => "USER_SIGNING",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::SignCompleted => "SIGN_COMPLETED",
            Self::Unknown(text) => text,
        }
    }

    /// Whether the order changes no more by itself. An unknown state is not taken for final.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled | Self::SignCompleted)
    }

    /// Whether signed documents are ready to download.
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        matches!(self, Self::SignCompleted)
    }
}

macro_rules! text_forms {
    ($state:ident) => {
        impl $state {
            /// The state a text names. Never fails: surrounding white space and case are
            /// forgiven, and any other text is kept in `Unknown`.
            #[must_use]
            pub fn from_text(text: &str) -> Self {
                let text = text.trim();
                let same = |state: &&Self| state.as_str().eq_ignore_ascii_case(text);
                let unknown = || Self::Unknown(text.to_owned());
                Self::KNOWN.iter().find(same).cloned().unwrap_or_else(unknown)
            }

            /// Whether the specification names this state.
            #[must_use]
            pub const fn is_known(&self) -> bool {
                !matches!(self, Self::Unknown(_))
            }
        }

        impl fmt::Display for $state {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<&str> for $state {
            fn from(text: &str) -> Self {
                Self::from_text(text)
            }
        }
    };
}

text_forms!(PadesState);
text_forms!(SdoState);
