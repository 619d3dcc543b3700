//! `signdoc_order`: an order the service has, and the calls about it.

use std::ffi::{CString, c_char};
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

use signdoc_core::order::{self, OrderKind};
use signdoc_core::spec::{PadesState, SdoState};
use signdoc_core::{
    Code, Destination, Download, DownloadOptions, Error, Order, OrderRef, Result, WaitOptions,
};

use crate::call::{self, Watch, signdoc_call};
use crate::client::signdoc_client;
use crate::documents::{self, signdoc_documents};
use crate::download::signdoc_download;
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle, Lent};
use crate::loan::Loan;
use crate::options::locked;
use crate::order_request::{SIGNDOC_ORDER_PADES, SIGNDOC_ORDER_SDO, kind, signdoc_order_request};
use crate::results::{Results, signdoc_results};
use crate::view::{NO_TEXT, signdoc_buffer, text};
use crate::wait;

/// A flag of signdoc_order_download: downloads, and so ends, an order that is not final yet.
/// Orders that failed or were cancelled are refused all the same.
pub const SIGNDOC_DOWNLOAD_FORCE: u32 = 1;
/// A flag of signdoc_order_download: files in the folder may be replaced.
pub const SIGNDOC_DOWNLOAD_OVERWRITE: u32 = 2;

/// An order the service has, or what is known of it. Its texts belong to it and live as long as it
/// does. Freed with signdoc_order_free, which leaves the order at the service alone.
pub struct signdoc_order {
    _opaque: [u8; 0],
}

pub(crate) struct Known {
    kind: OrderKind,
    /// The order itself, where this library created it.
    order: Option<Order>,
    sign_id: CString,
    json: CString,
    conversions: Option<Lent<signdoc_results>>,
}

impl Handle for signdoc_order {
    type Value = Known;
    const TAG: u64 = u64::from_le_bytes(*b"sd-order");
    const KIND: &'static str = "signdoc_order";
}

impl Known {
    pub(crate) fn of(order: Order) -> Self {
        let conversions = (!order.conversions.is_empty())
            .then(|| Lent::new(Results::new(order.conversions.clone())));
        Self {
            kind: order.kind,
            sign_id: text(&order.sign_id),
            json: text(&order.to_json().to_string()),
            conversions,
            order: Some(order),
        }
    }

    fn named(kind: OrderKind, sign_id: &str) -> Self {
        Self {
            kind,
            order: None,
            sign_id: text(sign_id),
            json: CString::default(),
            conversions: None,
        }
    }

    pub(crate) fn reference(&self) -> OrderRef {
        match &self.order {
            Some(order) => order.into(),
            None => self.sign_id.to_string_lossy().as_ref().into(),
        }
    }
}

/// Creates a sign order with these documents. `kind` is SIGNDOC_ORDER_PADES (PDFs) or
/// SIGNDOC_ORDER_SDO (PDFs, texts, or XML). The order in `*out` is freed with signdoc_order_free.
///
/// The end user must come to sign within 90 seconds: see signdoc_login_begin. Documents are read
/// while they are sent, those of functions before; the interface has no limit of their size, but
/// advises at most 35,000,000 bytes in all. The request is repeated only when it cannot have
/// reached the service. `timeout_ms` and `call` are as in signdoc_convert.
///
/// What exists is given: an order whose documents were not converted, as in the testing environment,
/// has its reasons in signdoc_order_conversions. Where the request is "strict" the function fails
/// with that reason instead, and the order is in signdoc_error_order.
///
/// Errors before anything is sent: SIGNDOC_E_INVALID_ARGUMENT, SIGNDOC_E_CONTENT_KIND,
/// SIGNDOC_E_SEAL_PAGE and those of documents. Where conversion was asked for and failed, so that
/// the service made no order: its reason, with signdoc_error_results. SIGNDOC_E_ORDER_REJECTED;
/// errors of the network, the token and the service. "order_may_exist" in
/// signdoc_error_details_json says that the answer was lost and the order may exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_create(
    client: *const signdoc_client,
    order_kind: i32,
    request: *const signdoc_order_request,
    documents: *const signdoc_documents,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_order,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_create") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let request = locked(entry.handle(request, "request")?).clone();
        let items = entry.handle(documents, "documents")?;
        let kind = kind(order_kind)?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let settings = call::settings(timeout_ms, watch);
        let loan = Loan::new();
        let items = documents::taken(items);
        let order = match kind {
            OrderKind::Pades => {
                let order = request.pades(documents::pades(items, &loan, watch)?);
                wait::run(engine, watch, |client| async move {
                    client.pades().create(&order, &settings).await
                })
            }
            OrderKind::Sdo => {
                let order = request.sdo(documents::sdo(items, &loan, watch)?)?;
                wait::run(engine, watch, |client| async move {
                    client.sdo().create(&order, &settings).await
                })
            }
        }?;
        out.put(handle::new(Known::of(order)));
        Ok(())
    })
}

/// An order of which only the reference is known, such as the one a login was finished for.
/// `*out` is freed with signdoc_order_free. Nothing is sent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_of(
    order_kind: i32,
    sign_id: *const c_char,
    out: *mut *mut signdoc_order,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_of") }.status(error, |entry| {
        let sign_id = entry.text(sign_id, "sign_id")?;
        let kind = kind(order_kind)?;
        entry.place(out, "out")?.put(handle::new(Known::named(kind, sign_id)));
        Ok(())
    })
}

/// An order that another process has created, from what signdoc_order_json gave there: its windows,
/// names and digests are known here as well. `*out` is freed with signdoc_order_free.
///
/// SIGNDOC_E_INVALID_ARGUMENT where `saved` is something else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_from_json(
    client: *const signdoc_client,
    saved: *const c_char,
    out: *mut *mut signdoc_order,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_from_json") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let saved = entry.text(saved, "saved")?;
        let out = entry.place(out, "out")?;
        let value: serde_json::Value = serde_json::from_str(saved).map_err(|wrong| {
            Error::new(Code::InvalidArgument, format!("saved is no JSON: {wrong}"))
        })?;
        let order =
            wait::run(engine, None, |client| async move { Order::from_json(&value, &client) })?;
        out.put(handle::new(Known::of(order)));
        Ok(())
    })
}

/// The service's reference of the order. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_sign_id(order: *const signdoc_order) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_sign_id") }
        .get(NO_TEXT, |entry| Ok(entry.handle(order, "order")?.sign_id.as_ptr()))
}

/// SIGNDOC_ORDER_PADES or SIGNDOC_ORDER_SDO; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_kind(order: *const signdoc_order) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_kind") }.get(0, |entry| {
        Ok(match entry.handle(order, "order")?.kind {
            OrderKind::Pades => SIGNDOC_ORDER_PADES,
            OrderKind::Sdo => SIGNDOC_ORDER_SDO,
        })
    })
}

/// How long the order still lives, in milliseconds, as far as it is known here: 90 seconds until
/// signing starts; the signing time once this library has seen that it started; 90 seconds once
/// it has seen the order completed. 0 when that has passed, -1 where only the reference is known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_expires_in_ms(order: *const signdoc_order) -> i64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_expires_in_ms") }.get(-1, |entry| {
        let left = entry.handle(order, "order")?.order.as_ref().map(Order::expires_in);
        Ok(left.map_or(-1, |left| i64::try_from(left.as_millis()).unwrap_or(i64::MAX)))
    })
}

/// What conversion gave, for the documents it was asked for; NULL where it was asked for none. The
/// results belong to the order; freeing them does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_conversions(
    order: *const signdoc_order,
) -> *const signdoc_results {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_conversions") }.get(ptr::null(), |entry| {
        let conversions = &entry.handle(order, "order")?.conversions;
        Ok(conversions.as_ref().map_or(ptr::null(), Lent::pointer))
    })
}

/// The order as a JSON object for signdoc_order_from_json, without bytes of documents. Never NULL;
/// empty for NULL and where only the reference is known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_json(order: *const signdoc_order) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(order, "order")?.json.as_ptr()))
}

/// Asks for the order's state. `*state` gets its text ("SIGN_COMPLETED"), to be freed with
/// signdoc_buffer_free; states that the specification does not have come as they are. `is_final`,
/// which may be NULL, gets 1 where the order changes no more by itself, else 0.
///
/// SIGNDOC_E_ORDER_NOT_FOUND, SIGNDOC_E_WINDOW_EXPIRED; errors of the network, the token and the
/// service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_state(
    client: *const signdoc_client,
    order: *const signdoc_order,
    timeout_ms: u64,
    call: *const signdoc_call,
    state: *mut signdoc_buffer,
    is_final: *mut i32,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_state") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let known = entry.handle(order, "order")?;
        let watch = entry.optional(call, "call")?;
        let state = entry.place(state, "state")?;
        let (kind, order) = (known.kind, known.reference());
        let settings = call::settings(timeout_ms, watch);
        let seen = wait::run(engine, watch, |client| async move {
            match kind {
                OrderKind::Pades => client.pades().state(order, &settings).await.map(State::pades),
                OrderKind::Sdo => client.sdo().state(order, &settings).await.map(State::sdo),
            }
        })?;
        state.put(signdoc_buffer::of(seen.text));
        if let Ok(place) = entry.place(is_final, "is_final") {
            place.put(i32::from(seen.is_final));
        }
        Ok(())
    })
}

struct State {
    text: String,
    is_final: bool,
}

impl State {
    fn pades(state: PadesState) -> Self {
        Self { text: state.as_str().to_owned(), is_final: state.is_final() }
    }

    fn sdo(state: SdoState) -> Self {
        Self { text: state.as_str().to_owned(), is_final: state.is_final() }
    }
}

/// Asks for the order's state again and again until it is final, or one of `until` (texts with
/// commas between; NULL: any final one). Each new state is told to the function of
/// signdoc_call_set_state. `timeout_ms` 0: the order's whole life. The other arguments are those of
/// signdoc_order_state.
///
/// SIGNDOC_E_TOTAL_TIMEOUT when the time is over; errors as signdoc_order_state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_wait(
    client: *const signdoc_client,
    order: *const signdoc_order,
    until: *const c_char,
    timeout_ms: u64,
    call: *const signdoc_call,
    state: *mut signdoc_buffer,
    is_final: *mut i32,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_wait") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let known = entry.handle(order, "order")?;
        let until = entry.optional_text(until, "until")?.unwrap_or_default();
        let watch = entry.optional(call, "call")?;
        let state = entry.place(state, "state")?;
        let (kind, order) = (known.kind, known.reference());
        let until = until.split(',').map(|text| text.trim().to_owned());
        let options = WaitOptions {
            until: until.filter(|text| !text.is_empty()).collect(),
            call: call::settings(timeout_ms, watch),
            ..WaitOptions::default()
        };
        if let Some(watch) = watch {
            watch.follow(options.watch.clone());
        }
        let seen = wait::run(engine, watch, |client| async move {
            match kind {
                OrderKind::Pades => client.pades().wait(order, &options).await.map(State::pades),
                OrderKind::Sdo => client.sdo().wait(order, &options).await.map(State::sdo),
            }
        })?;
        state.put(signdoc_buffer::of(seen.text));
        if let Ok(place) = entry.place(is_final, "is_final") {
            place.put(i32::from(seen.is_final));
        }
        Ok(())
    })
}

/// Downloads the results of a completed order, which deletes the order at the service: what comes
/// is the only copy. `*out` is freed with signdoc_download_free.
///
/// `to_folder`: where files are written. In a folder nothing that arrived is lost, not by a crash
/// either: see signdoc_recover. NULL: results stay in memory, which cannot promise that.
/// `originals`, which may be NULL: the documents that were sent, in their order, to compare digests
/// and name results after; not needed where `order` is the created one. `flags`:
/// SIGNDOC_DOWNLOAD_FORCE and SIGNDOC_DOWNLOAD_OVERWRITE, or 0.
///
/// `timeout_ms` and `call` end the waiting, never the reception: once the request has left, the
/// library goes on receiving on its own threads until the answer is whole or silent for
/// `reception_timeout`, and the function fails with SIGNDOC_E_RECEPTION_CONTINUES, whose message
/// says where the results come. A program that ends then calls signdoc_downloads_finish first.
///
/// The order is not touched: SIGNDOC_E_ORDER_NOT_READY, SIGNDOC_E_ORDER_FAILED,
/// SIGNDOC_E_ORDER_CANCELLED, SIGNDOC_E_ORDER_NOT_FOUND, SIGNDOC_E_DESTINATION_EXISTS.
/// SIGNDOC_E_OUTCOME_UNKNOWN when the answer was lost; SIGNDOC_E_DOWNLOAD_INCOMPLETE where a result
/// that was asked for did not come, SIGNDOC_E_DIGEST_MISMATCH and others, with what arrived in
/// signdoc_error_download, and the answer itself in the folder or in signdoc_error_raw_answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_download(
    client: *const signdoc_client,
    order: *const signdoc_order,
    to_folder: *const c_char,
    originals: *const signdoc_documents,
    flags: u32,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_download,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_download") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let known = entry.handle(order, "order")?;
        let folder = entry.optional_text(to_folder, "to_folder")?;
        let originals = entry.optional(originals, "originals")?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let (kind, order) = (known.kind, known.reference());
        let loan = Loan::new();
        let originals = match originals {
            Some(items) => documents::unlimited(documents::taken(items), &loan, watch)?,
            None => Vec::new(),
        };
        let overwrite = flags & SIGNDOC_DOWNLOAD_OVERWRITE != 0;
        let to = folder.map_or(Destination::Memory, |path| Destination::Folder {
            path: PathBuf::from(path),
            overwrite,
        });
        let force = flags & SIGNDOC_DOWNLOAD_FORCE != 0;
        let call = call::settings(timeout_ms, watch);
        let options = DownloadOptions { to, force, originals, call };
        let download = wait::run(engine, watch, |client| async move {
            match kind {
                OrderKind::Pades => {
                    client.pades().download(order, &options).await.map(Download::Pades)
                }
                OrderKind::Sdo => client.sdo().download(order, &options).await.map(Download::Sdo),
            }
        })?;
        out.put(handle::new(crate::download::Files::new(download)));
        Ok(())
    })
}

/// Ends an order on purpose, whatever its state: it is deleted at the service, and what was signed
/// with it. `last`, which may be NULL, gets what the service answered, in memory: the order's state,
/// and results where there were some; it is freed with signdoc_download_free. Errors as
/// signdoc_order_state, and SIGNDOC_E_OUTCOME_UNKNOWN when the answer was lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_discard(
    client: *const signdoc_client,
    order: *const signdoc_order,
    timeout_ms: u64,
    call: *const signdoc_call,
    last: *mut *mut signdoc_download,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_discard") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let known = entry.handle(order, "order")?;
        let watch = entry.optional(call, "call")?;
        let (kind, order) = (known.kind, known.reference());
        let settings = call::settings(timeout_ms, watch);
        let answer = wait::run(engine, watch, |client| async move {
            match kind {
                OrderKind::Pades => {
                    client.pades().discard(order, &settings).await.map(Download::Pades)
                }
                OrderKind::Sdo => client.sdo().discard(order, &settings).await.map(Download::Sdo),
            }
        })?;
        if let Ok(place) = entry.place(last, "last") {
            place.put(handle::new(crate::download::Files::new(answer)));
        }
        Ok(())
    })
}

/// How many downloads of this process are being received, whether somebody waits for them or not.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_downloads_receiving() -> usize {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_downloads_receiving") }.get(0, |_| Ok(order::receptions()))
}

/// Waits until all downloads of this process have been received, at most `timeout_ms` (0: until
/// they end by themselves), and tells how many have not. For a program that is about to end after
/// SIGNDOC_E_RECEPTION_CONTINUES: the service has deleted those orders.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_downloads_finish(timeout_ms: u64) -> usize {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_downloads_finish") }.get(0, |_| {
        let patience = match timeout_ms {
            0 => Duration::MAX,
            limited => Duration::from_millis(limited),
        };
        Ok(order::wait_for_receptions(patience, || true))
    })
}

/// Lists and finishes the downloads into `folder` that a crash or a lost answer interrupted, of
/// both kinds: every document that had arrived whole is in the folder afterwards. Downloads that
/// are under way are left alone, and calling it again is safe.
///
/// With a `client`, the service is asked for the state of orders that are not complete here; with
/// NULL it works without the service. `*out` gets a JSON array, to be freed with
/// signdoc_buffer_free: objects with "outcome" ("complete", "partial", "nothing_arrived",
/// "not_sent", "in_progress" or "unreadable"), "kind", "sign_id", "download", "problem",
/// "order_state" ("gone" where the service does not know the order), "ask_again", "journal" and
/// "raw_answer".
///
/// SIGNDOC_E_JOURNAL_FAILED where the folder cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_recover(
    client: *const signdoc_client,
    folder: *const c_char,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_recover") }.status(error, |entry| {
        let engine = entry.optional(client, "client")?;
        let folder = PathBuf::from(entry.text(folder, "folder")?);
        let watch: Option<&Watch> = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let found = match engine {
            None => on_own_thread(move || signdoc_core::recover(folder))?,
            Some(engine) => {
                let settings = call::settings(timeout_ms, watch);
                wait::run(engine, watch, |client| async move {
                    let mut found = client.pades().recover(&folder, &settings).await?;
                    // What is of no known kind, or in progress, was told with the first.
                    let others = client.sdo().recover(&folder, &settings).await?;
                    found.extend(others.into_iter().filter(|one| one.kind.is_some()));
                    Ok(found)
                })?
            }
        };
        let told = found.iter().map(signdoc_core::Recovery::to_json).collect();
        out.put(signdoc_buffer::of(serde_json::Value::Array(told).to_string()));
        Result::Ok(())
    })
}

/// Runs work on a thread of ours: what the standard library notes of a thread that it did not start
/// stays until the process ends.
fn on_own_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let failed = |why: &str| Error::new(Code::Internal, format!("signdoc_recover: {why}"));
    let started = std::thread::Builder::new().name("signdoc-recover".to_owned()).spawn(work);
    let thread = started.map_err(|error| failed(&error.to_string()))?;
    thread.join().unwrap_or_else(|_| Err(failed("a thread ended before its time")))
}

/// Frees what is known of an order. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_free(order: *mut signdoc_order) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_free") }.get((), |entry| {
        entry.free(order);
        Ok(())
    });
}
