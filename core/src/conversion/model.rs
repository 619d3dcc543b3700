//! What a conversion answers, as typed values that keep what they do not know.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use signdoc_spec::{Code, Warning};

use crate::error::Error;

/// A warning the service raised while converting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionWarning {
    /// Which of the specification's eight it is; `None` for a text it does not have.
    pub code: Option<Warning>,
    /// The service's own text.
    pub message: String,
}

impl ConversionWarning {
    pub(crate) fn new(message: String) -> Self {
        Self { code: Warning::from_message(&message), message }
    }

    /// The code's name (`FONT_SUBST`), or the service's text where the code is unknown.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.code {
            Some(code) => code.name(),
            None => &self.message,
        }
    }
}

/// Why a document could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionFault {
    /// Which of the specification's five it is; `None` for a text it does not have.
    pub code: Option<Code>,
    /// The service's own text.
    pub message: String,
}

impl ConversionFault {
    pub(crate) fn new(message: String) -> Self {
        Self { code: Code::conversion_error(&message), message }
    }

    /// The code's name (`DOC_SIGNED`), or the service's text where the code is unknown.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.code {
            Some(code) => code.name(),
            None => &self.message,
        }
    }
}

/// The result for one document (specification, "Conversion result").
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Conversion {
    /// The document's position in the call, from 0.
    pub index: usize,
    /// The service's identifier of this conversion.
    pub conversion_id: Option<String>,
    /// The service's description of the document.
    pub description: Option<String>,
    /// Whether the document was converted; then it is here. False without errors means that it
    /// needed no conversion, see [`Conversion::is_unchanged`].
    pub converted: bool,
    /// Warnings raised during conversion.
    pub warnings: Vec<ConversionWarning>,
    /// Why the document could not be converted.
    pub errors: Vec<ConversionFault>,
    /// Why the document could not be sent or its call failed; only in batches, where one
    /// document's trouble must not hide the others.
    pub failure: Option<Error>,
    /// The converted PDF, when it was asked for in memory.
    pub data: Option<Bytes>,
    /// Where the converted PDF was written.
    pub path: Option<PathBuf>,
    /// The converted PDF in a private temporary file, where that was asked for.
    pub spool: Option<Arc<File>>,
    /// Size of the converted PDF in bytes.
    pub size: Option<u64>,
    /// Whether an earlier run of the batch converted the document, so that it was not sent again;
    /// only in batches with `resume`.
    pub resumed: bool,
}

impl Conversion {
    /// Whether the service refused this document, or its call failed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.failure.is_some() || !self.errors.is_empty()
    }

    /// Whether the service left the document as it is without a reason against it: it needed no
    /// conversion. Where it sent a document all the same, that is here.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        !self.converted && !self.is_failed()
    }

    /// The result without the claim that the document was converted, where it is not here.
    pub(crate) fn without_claim(mut self) -> Self {
        self.converted &= self.size.is_some();
        self
    }

    /// Whether the service says that conversion is switched off.
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        self.errors.iter().any(|fault| fault.code == Some(Code::ConversionDisabled))
    }

    /// Everything but the bytes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let warnings: Vec<_> = self
            .warnings
            .iter()
            .map(|w| json!({"code": w.code.map(Warning::name), "message": w.message}))
            .collect();
        let errors: Vec<_> = self
            .errors
            .iter()
            .map(|e| json!({"code": e.code.map(Code::name), "message": e.message}))
            .collect();
        json!({
            "index": self.index,
            "conversion_id": self.conversion_id,
            "description": self.description,
            "converted": self.converted,
            "warnings": warnings,
            "errors": errors,
            "failure": self.failure.as_ref().map(Error::to_json),
            "path": self.path.as_ref().map(|path| path.display().to_string()),
            "size": self.size,
            "resumed": self.resumed,
        })
    }
}

impl Conversion {
    /// Changes the texts of the service's for which `change` has another one.
    pub(crate) fn map_texts(&mut self, change: &dyn Fn(&str) -> Option<String>) {
        let own = [self.conversion_id.as_mut(), self.description.as_mut()];
        let warnings = self.warnings.iter_mut().map(|one| &mut one.message);
        let errors = self.errors.iter_mut().map(|one| &mut one.message);
        for text in own.into_iter().flatten().chain(warnings).chain(errors) {
            if let Some(changed) = change(text) {
                *text = changed;
            }
        }
    }
}

impl std::fmt::Debug for Conversion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Conversion({})", self.to_json())
    }
}
