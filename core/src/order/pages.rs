//! Whether a visual seal's page exists, where the PDF reader is part of the build.

use crate::error::Result;
use crate::wire::ByteSource;

/// Refuses a page that the PDF does not have. A PDF whose pages cannot be counted here is let
/// through: the service decides.
#[cfg(feature = "signing")]
pub(super) fn check(field: &str, page: i64, source: &ByteSource) -> Result<()> {
    let Some(count) = super::pdf::open(source).and_then(|pdf| pdf.page_count().ok()) else {
        return Ok(());
    };
    // 0 is what some callers send for "the first page", and the service takes it.
    if usize::try_from(page).is_ok_and(|page| page <= count) {
        return Ok(());
    }
    let why = format!("the PDF has {count} page{}", if count == 1 { "" } else { "s" });
    Err(super::pades::wrong_page(field, page, &why).with_detail("limit", count))
}

/// Without the PDF reader nothing is known of pages.
#[cfg(not(feature = "signing"))]
pub(super) fn check(_: &str, _: i64, _: &ByteSource) -> Result<()> {
    Ok(())
}
