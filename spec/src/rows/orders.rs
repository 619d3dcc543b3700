//! Rows of sign orders.

use super::Spec;
use crate::Category;

const FLOW: &str = "interface specification, Signing flow";
const STATES: &str = "interface specification, States and transitions";
const ORDERS: &str = "interface specification, Endpoints (order errors are not shown there)";

pub(crate) const WINDOW_EXPIRED: Spec = Spec {
    constant: "SIGNDOC_E_WINDOW_EXPIRED",
    name: "window_expired",
    category: Category::Order,
    class: "WindowExpired",
    http_status: None,
    retryable: false,
    summary: "the order's time window has passed",
    advice: "create a new order: an order lives 90 seconds until signing starts and 90 seconds after it ends",
    source: FLOW,
};

pub(crate) const ORDER_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_ORDER_FAILED",
    name: "order_failed",
    category: Category::Order,
    class: "OrderFailed",
    http_status: None,
    retryable: false,
    summary: "the signing failed",
    advice: "create a new order and let the user sign again; contact support with the sign_id if it persists",
    source: STATES,
};

pub(crate) const ORDER_CANCELLED: Spec = Spec {
    constant: "SIGNDOC_E_ORDER_CANCELLED",
    name: "order_cancelled",
    category: Category::Order,
    class: "OrderCancelled",
    http_status: None,
    retryable: false,
    summary: "the signing was cancelled",
    advice: "create a new order if the user still wants to sign",
    source: STATES,
};

pub(crate) const ORDER_NOT_FOUND: Spec = Spec {
    constant: "SIGNDOC_E_ORDER_NOT_FOUND",
    name: "order_not_found",
    category: Category::Order,
    class: "OrderNotFound",
    http_status: None,
    retryable: false,
    summary: "the service does not know this order",
    advice: "check the sign_id and the environment; an order vanishes when it expires and when it has been downloaded once, so look for an unfinished download with recover",
    source: ORDERS,
};

pub(crate) const ORDER_NOT_READY: Spec = Spec {
    constant: "SIGNDOC_E_ORDER_NOT_READY",
    name: "order_not_ready",
    category: Category::Order,
    class: "OrderNotReady",
    http_status: None,
    retryable: false,
    summary: "the order is not completed yet",
    advice: "wait for the state SIGN_COMPLETED and download then: a download deletes the order, also an unfinished one",
    source: STATES,
};

pub(crate) const ORDER_REJECTED: Spec = Spec {
    constant: "SIGNDOC_E_ORDER_REJECTED",
    name: "order_rejected",
    category: Category::Order,
    class: "OrderError",
    http_status: Some(400),
    retryable: false,
    summary: "the service refused the order",
    advice: "correct what the service's messages name, then create the order again",
    source: ORDERS,
};

pub(crate) const ORDER_DELETED: Spec = Spec {
    constant: "SIGNDOC_E_ORDER_DELETED",
    name: "order_deleted",
    category: Category::Order,
    class: "OrderError",
    http_status: None,
    retryable: false,
    summary: "the service deleted the order without handing out signed documents",
    advice: "create a new order; nothing was signed or the result is gone",
    source: ORDERS,
};
