//! The command line of `signdoc sign`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};
use signdoc::spec::values::PDFA_2B;

use super::args::{kind, quiet};
use crate::args::{files, flag, json, number, output, text};
use crate::connection;
use crate::per_document::{ONCE, RULE};

/// What only orders of signed PDFs have.
pub(super) const PADES_ONLY: &[&str] =
    &["convert", "strict", "visual_seals", "merchant_seal", "end_user_seal", "end_user_only"];
/// What only orders of signed data objects have.
pub(super) const SDO_ONLY: &[&str] = &["text", "xls"];

pub(crate) fn sign() -> Command {
    Command::new("sign")
        .about("Have documents signed by an end user: create an order, send them there, download")
        .long_about(format!(
            "Creates a sign order with the documents, shows the address where the end user signs \
             (or opens it), waits until it is done, and downloads the results.\n\n\
             A PAdES order takes PDF documents. An order of signed data objects (--sdo) also \
             takes texts (--text, and *.txt in UTF-8) and XML (*.xml, with --xls). The end user \
             must come to sign within 90 seconds. The login \
             comes back to a loopback address, which must be registered with the service; with \
             --redirect-uri it comes back elsewhere, and this program follows the order alone.\n\n\
             {RULE}\n\n\
             The download deletes the order at the service, so from then on Ctrl-C and --timeout \
             end nothing: the results are received first, and only a second Ctrl-C gives them up. \
             What has no room in the folder is kept elsewhere, and the program says where.\n\n\
             The service marks the interface for PAdES orders as outdated, and the one for signed \
             data objects as deprecated.\n\n\
             Ends with 0 when everything that was asked for is a file in the folder, and with 8 \
             when the order was not completed.",
        ))
        .after_help(
            "Examples:\n  signdoc sign loan.pdf terms.pdf -o signed --open\n  \
             signdoc sign loan.pdf terms.pdf -o signed --description Loan --description Terms \\\n      \
             --visual-seals --merchant-seal 40,700,1 --end-user-seal 300,700,1\n  \
             signdoc sign consent.txt --sdo --name \"Consent\" -o signed --port 8765\n  \
             signdoc sign --sdo --text \"I agree to the terms of 1 May.\" -o signed",
        )
        .arg(
            files("documents, or folders with PDF files")
                .required(false)
                .required_unless_present("text"),
        )
        .arg(output("the folder for the results, made when it is missing").required(true))
        .args(kind())
        .arg(flag("overwrite", "replace existing files in the folder"))
        .arg(json())
        .arg(quiet())
        .next_help_heading("Order")
        .args(order())
        .next_help_heading("Documents")
        .args(documents())
        .next_help_heading("Only for PAdES orders")
        .args(pades())
        .next_help_heading("Only for signed data objects (--sdo)")
        .args(sdo())
        .next_help_heading("Login of the end user")
        .args(login())
        .args(connection::args())
}

fn order() -> Vec<Arg> {
    let yes_and_no = |yes: &'static str, no: &'static str, help: [&'static str; 2]| {
        [flag(yes, help[0]).conflicts_with(no), flag(no, help[1])]
    };
    let [confirmation, no_confirmation] = yes_and_no(
        "confirmation",
        "no_confirmation",
        [
            "show the end user that the signing is completed (the service's default)",
            "do not show it",
        ],
    );
    let [understanding, no_understanding] = yes_and_no(
        "understanding",
        "no_understanding",
        [
            "ask the end user to confirm that the content is understood (the service's default)",
            "do not ask",
        ],
    );
    vec![
        text("name", "the order's name; default: that of the first document"),
        text(
            "results",
            "what is handed out, with commas between: padesSignedPdf, padesAppendix, documentHash; \
             with --sdo: sdo, basicSignature, documentHash; default: signed documents and digests",
        )
        .value_name("LIST"),
        number(
            "signing-time",
            value_parser!(u32),
            "how long the end user may take to sign; default: the service's, 1800",
        )
        .value_name("SECONDS"),
        text(
            "display_mode",
            "how documents are shown: interior (the service's default), window or overlay; other \
             words are sent as they are",
        )
        .value_name("MODE"),
        confirmation,
        no_confirmation,
        understanding,
        no_understanding,
    ]
}

fn documents() -> Vec<Arg> {
    let description = Arg::new("description")
        .long("description")
        .value_name("TEXT")
        .action(ArgAction::Append)
        .help(
            "what a document is called, once for each; default: its file's name; \
             \"\" leaves it to the service",
        );
    vec![description]
}

fn pades() -> Vec<Arg> {
    let position = |name: &'static str, whose: &str| {
        text(name, "")
            .value_name("X,Y[,PAGE]")
            .action(ArgAction::Append)
            .help(format!("where {whose} goes, in points from the upper left corner, {ONCE}"))
    };
    vec![
        Arg::new("convert")
            .long("convert")
            .value_name("SPEC")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(PDFA_2B)
            .action(ArgAction::Append)
            .help(format!(
                "have the service convert documents first, to {PDFA_2B} where no other is named, {ONCE}"
            )),
        flag(
            "strict",
            "end with an error when a document was not converted; else the order goes on with it \
             as it is",
        ),
        flag("visual_seals", "have seals drawn on the documents"),
        position("merchant_seal", "the merchant's seal"),
        position("end_user_seal", "the end user's seal"),
        Arg::new("end_user_only")
            .long("end-user-only")
            .value_name("yes|no")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("yes")
            .value_parser(["yes", "no", "none"])
            .hide_possible_values(true)
            .action(ArgAction::Append)
            .help(format!("whether the end user signs alone, without the merchant, {ONCE}")),
    ]
}

fn sdo() -> Vec<Arg> {
    vec![
        text(
            "text",
            "a text to sign, as it stands here, behind the files; may be given several times",
        )
        .action(ArgAction::Append),
        Arg::new("xls")
            .long("xls")
            .visible_alias("xsl")
            .value_name("FILE")
            .action(ArgAction::Append)
            .value_parser(value_parser!(PathBuf))
            .help(
                "the stylesheet that shows XML documents, once for all of them, or once for each",
            ),
    ]
}

/// What the redirect to the provider takes.
fn login() -> Vec<Arg> {
    vec![
        flag("open", "open the address in the browser"),
        number(
            "port",
            value_parser!(u16),
            "port of the loopback address for the callback; default: a free one",
        ),
        text("redirect_uri", "where the login comes back to, if not to this program")
            .value_name("URL")
            .conflicts_with("port"),
        text("lang", "languages of the login pages, best first (nb, en); default: the provider's")
            .value_name("TAGS"),
        text(
            "login_scope",
            "further scopes of the login, with commas between, for more claims (profile)",
        )
        .value_name("LIST"),
        Arg::new("response_mode")
            .long("response-mode")
            .value_name("MODE")
            .value_parser(["query", "form_post", "fragment"])
            .help("how the callback is sent; default: the provider's, query"),
    ]
}
