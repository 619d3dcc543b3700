//! The native module of the Python package: bytes, handles and waiting.
//!
//! Everything a person sees is in the Python files of the package. No thread of the client's
//! runtime ever attaches to the interpreter: values are made, and released, by the thread that
//! calls.

mod batch;
mod bell;
mod buffer;
mod bundle;
mod call;
mod csc;
mod documents;
mod engine;
mod errors;
mod extend;
mod login;
mod orders;
mod results;
mod table;
mod verify;

/// What the Python files of the package use; not an interface for applications.
#[pyo3::pymodule]
mod _native {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::bell::Bell;
    #[pymodule_export]
    use crate::bundle::bundle;
    #[pymodule_export]
    use crate::call::Call;
    #[pymodule_export]
    use crate::csc::{
        CscSession, csc_begin, csc_credential_info, csc_credentials, csc_finish, csc_info,
        csc_sign_hashes, csc_sign_pdfs,
    };
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::extend::extend;
    #[pymodule_export]
    use crate::login::{login_begin, login_check, login_finish};
    #[pymodule_export]
    use crate::orders::{
        Order, dismiss, finish_receptions, order_discard, order_download, order_recover,
        order_state, order_states, order_wait, pades_create, receptions, recover, sdo_create,
    };
    #[pymodule_export]
    use crate::table::{error_table, options, spec, warning_table};

    #[pymodule_export]
    use crate::verify::{preflight, preview, preview_html, report_html, verify};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Runs the program `signdoc`; the arguments begin with its name. Ctrl-C ends the call that
    /// is under way.
    #[pyfunction]
    fn cli(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<i32> {
        let interrupted = || Python::try_attach(|py| py.check_signals().is_err()).unwrap_or(true);
        crate::errors::guarded(py, || {
            let status = py.detach(|| signdoc_cli::run_until(arguments, &interrupted));
            // The program has taken notice of signals; its exit status says so.
            while py.check_signals().is_err() {}
            Ok(status)
        })
    }

    /// Fails inside the library: the tests show by it that a defect becomes an `InternalError`.
    #[pyfunction]
    fn provoke_defect(py: Python<'_>) -> PyResult<()> {
        #[expect(clippy::panic, reason = "the panic is what this function is for")]
        crate::errors::guarded(py, || panic!("provoked"))
    }
}
