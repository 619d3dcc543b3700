//! Flags that do not apply are refused: whoever gives one must not think that it had an effect.

use clap::ArgMatches;
use clap::parser::ValueSource;
use signdoc::Result;
use signdoc::config::OPTIONS;
use signdoc::order::OrderKind;

use super::sign_args::{PADES_ONLY, SDO_ONLY};
use crate::per_document::refused;

/// Whether it stands on the command line, and is no default.
pub(super) fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(ValueSource::CommandLine)
}

/// What `signdoc sign` was told must fit the kind of order, and itself.
pub(super) fn check_sign(matches: &ArgMatches, kind: OrderKind) -> Result<()> {
    let first = |names: &[&'static str]| names.iter().copied().find(|name| is_given(matches, name));
    match kind {
        OrderKind::Sdo => {
            if let Some(name) = first(PADES_ONLY) {
                return Err(refused(format!(
                    "{} is for PAdES orders and does not apply to signed data objects (--sdo); leave one of them out",
                    flag(name)
                )));
            }
        }
        OrderKind::Pades => {
            if let Some(name) = first(SDO_ONLY) {
                return Err(refused(format!(
                    "{} is for signed data objects and does not apply to a PAdES order; add --sdo, or leave it out",
                    flag(name)
                )));
            }
        }
    }
    if is_given(matches, "strict") && !is_given(matches, "convert") {
        return Err(refused("--strict is about conversion; add --convert".to_owned()));
    }
    if let Some(name) = first(&["merchant_seal", "end_user_seal"])
        && !is_given(matches, "visual_seals")
    {
        return Err(refused(format!(
            "{} says where a seal goes, but none is drawn; add --visual-seals",
            flag(name)
        )));
    }
    let mode = matches.get_one::<String>("response_mode").map(String::as_str);
    if mode == Some("fragment") && !is_given(matches, "redirect_uri") {
        return Err(refused(
            "--response-mode fragment does not reach this program: a browser keeps the fragment to itself; name a page of your own with --redirect-uri, or choose query or form_post"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Without `--online`, `signdoc recover` reaches nobody, however it is told to.
pub(super) fn check_recover(matches: &ArgMatches) -> Result<()> {
    let given = OPTIONS.iter().find(|option| is_given(matches, option.key));
    match given.filter(|_| !matches.get_flag("online")) {
        None => Ok(()),
        Some(option) => {
            let suffix = if option.secret { "-file" } else { "" };
            Err(refused(format!(
                "{}{suffix} is about reaching the service and does not apply without --online",
                flag(option.key)
            )))
        }
    }
}

pub(super) fn flag(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}
