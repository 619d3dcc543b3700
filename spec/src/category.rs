//! What kinds of trouble there are.

use core::fmt;

/// The category of an error: the nine of the specification's CSC error table, and seven of this
/// library for what that table does not speak of.
///
/// Source: interface specification, CSC endpoint errors, "Client handling by category".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Category {
    /// The request is wrong: fix it and try again.
    RequestValidation,
    /// The token is used up: obtain a fresh one and start a new session.
    TokenLifecycle,
    /// The token or the client's proof of identity is wrong.
    Authentication,
    /// The token lacks a scope.
    Authorization,
    /// The credential cannot be used: verify its ID and status.
    Credential,
    /// The backend that makes certificates and signatures failed: contact support.
    SigningBackend,
    /// The signing itself failed: contact support.
    Signing,
    /// The service has a passing trouble: retry after a short delay.
    Service,
    /// A fault inside the service or this library: contact support.
    Internal,
    /// The caller's own side: arguments, options, files.
    Local,
    /// The way to the service.
    Network,
    /// The answer does not follow the interface.
    Protocol,
    /// A document could not be converted.
    Conversion,
    /// The state of a sign order.
    Order,
    /// The redirect login and its ID token.
    Login,
    /// The check of a signed document.
    Verification,
}

impl Category {
    /// Every category: the specification's nine first, in its order.
    pub const ALL: &'static [Self] = &[
        Self::RequestValidation,
        Self::TokenLifecycle,
        Self::Authentication,
        Self::Authorization,
        Self::Credential,
        Self::SigningBackend,
        Self::Signing,
        Self::Service,
        Self::Internal,
        Self::Local,
        Self::Network,
        Self::Protocol,
        Self::Conversion,
        Self::Order,
        Self::Login,
        Self::Verification,
    ];

    /// The category's name as the specification writes it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::RequestValidation => "Request Validation",
            Self::TokenLifecycle => "Token Lifecycle",
            Self::Authentication => "Authentication",
            Self::Authorization => "Authorization",
            Self::Credential => "Credential",
            Self::SigningBackend => "Signing Backend",
            Self::Signing => "Signing",
            Self::Service => "Service",
            Self::Internal => "Internal",
            Self::Local => "Local",
            Self::Network => "Network",
            Self::Protocol => "Protocol",
            Self::Conversion => "Conversion",
            Self::Order => "Order",
            Self::Login => "Login",
            Self::Verification => "Verification",
        }
    }

    /// Whether errors of this category pass by themselves. True for [`Category::Service`] alone.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Service)
    }

    /// The handling the specification gives for the category, in its order of steps; for the
    /// three it gives no step of their own, and for ours, what always helps.
    #[must_use]
    pub const fn handling(self) -> &'static str {
        match self {
            Self::RequestValidation => "fix the request and retry",
            Self::TokenLifecycle => "obtain a fresh access token and start a new session",
            Self::Authentication => "use correct token and authentication data",
            Self::Authorization => "use a token with the required scope",
            Self::Credential => "verify the credential ID and status",
            Self::Service => "retry after a short delay",
            Self::SigningBackend | Self::Signing | Self::Internal => {
                "contact support with the reference"
            }
            Self::Local => "correct the call or the configuration as the message says",
            Self::Network => "check the connection to the service",
            Self::Protocol => "contact support with the raw answer if it persists",
            Self::Conversion => "look at the document's own errors",
            Self::Order => "look at the order's state; a new order may be needed",
            Self::Login => "start a new login",
            Self::Verification => "do not rely on the document before the finding is explained",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
