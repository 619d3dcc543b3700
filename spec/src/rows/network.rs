//! Rows of the way to the service: connection, TLS, proxy, time limits.

use super::Spec;
use crate::Category;

const OURS: &str = "this library";
const RFC9110: &str = "RFC 9110";

pub(crate) const CONNECT_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_CONNECT_FAILED",
    name: "connect_failed",
    category: Category::Network,
    class: "TransportError",
    http_status: None,
    retryable: true,
    summary: "no connection to the service could be made",
    advice: "check the address, name resolution and the firewall between this machine and the service; the request was not sent, so calling again is safe",
    source: OURS,
};

pub(crate) const TLS_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_TLS_FAILED",
    name: "tls_failed",
    category: Category::Network,
    class: "TransportError",
    http_status: None,
    retryable: false,
    summary: "the secure connection could not be established",
    advice: "check this machine's clock and trusted certificates; behind a company proxy that reads traffic, add its certificate with ca_file",
    source: "RFC 8446",
};

pub(crate) const PROXY_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_PROXY_FAILED",
    name: "proxy_failed",
    category: Category::Network,
    class: "TransportError",
    http_status: None,
    retryable: false,
    summary: "the proxy refused the request or could not be reached",
    advice: "check the proxy address and its credentials, or list the service in no_proxy",
    source: RFC9110,
};

pub(crate) const CONNECT_TIMEOUT: Spec = Spec {
    constant: "SIGNDOC_E_CONNECT_TIMEOUT",
    name: "connect_timeout",
    category: Category::Network,
    class: "RequestTimeout",
    http_status: None,
    retryable: true,
    summary: "no connection was made within the time limit",
    advice: "call again; if it stays so, check the address and the firewall, or raise the connect timeout",
    source: OURS,
};

pub(crate) const READ_TIMEOUT: Spec = Spec {
    constant: "SIGNDOC_E_READ_TIMEOUT",
    name: "read_timeout",
    category: Category::Network,
    class: "RequestTimeout",
    http_status: None,
    retryable: true,
    summary: "the service sent nothing within the time limit",
    advice: "call again, or raise the read timeout; converting large documents takes time",
    source: OURS,
};

pub(crate) const TOTAL_TIMEOUT: Spec = Spec {
    constant: "SIGNDOC_E_TOTAL_TIMEOUT",
    name: "total_timeout",
    category: Category::Network,
    class: "RequestTimeout",
    http_status: None,
    retryable: true,
    summary: "the call did not finish within its total time limit",
    advice: "raise the total timeout, or send fewer documents in one call",
    source: OURS,
};

pub(crate) const CONNECTION_LOST: Spec = Spec {
    constant: "SIGNDOC_E_CONNECTION_LOST",
    name: "connection_lost",
    category: Category::Network,
    class: "TransportError",
    http_status: None,
    retryable: true,
    summary: "the connection ended before the answer was complete",
    advice: "call again; if it happens often, look for a proxy or firewall that cuts long connections",
    source: OURS,
};

pub(crate) const OUTCOME_UNKNOWN: Spec = Spec {
    constant: "SIGNDOC_E_OUTCOME_UNKNOWN",
    name: "outcome_unknown",
    category: Category::Network,
    class: "OutcomeUnknown",
    http_status: None,
    retryable: false,
    summary: "the request was sent but its outcome is not known",
    advice: "do not repeat the call blindly: read what arrived and the order's state in this error, then recover the download, create a new order or begin a new login",
    source: RFC9110,
};

pub(crate) const REQUEST_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_REQUEST_FAILED",
    name: "request_failed",
    category: Category::Network,
    class: "TransportError",
    http_status: None,
    retryable: false,
    summary: "the request could not be carried out",
    advice: "look at the cause carried by this error",
    source: OURS,
};

pub(crate) const RECEPTION_CONTINUES: Spec = Spec {
    constant: "SIGNDOC_E_RECEPTION_CONTINUES",
    name: "reception_continues",
    category: Category::Network,
    class: "OutcomeUnknown",
    http_status: None,
    retryable: false,
    summary: "the waiting ended, but the results of an order are still being received",
    advice: "do not download again: let this process live until the reception has ended, then look into the folder that the message names, or call recover with it",
    source: OURS,
};
