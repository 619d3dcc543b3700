//! The command line of `signdoc csc`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

use crate::args::{files, flag, json, number, output, text};
use crate::connection;
use crate::per_document::{ONCE, RULE};

pub(crate) fn csc() -> Command {
    Command::new("csc")
        .about("Sign PDF documents through the credential-based interface (CSC)")
        .long_about(
            "Remote signing through the credential-based interface (CSC API v2), whose address is \
             the option --csc-url.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(
            Command::new("info")
                .about("What the interface says of itself")
                .after_help("Example:\n  signdoc csc info --csc-url https://sign.example/csc/v2")
                .arg(json())
                .args(connection::args()),
        )
        .subcommand(sign())
}

fn sign() -> Command {
    Command::new("sign")
        .about("Sign up to 50 PDF documents with one login")
        .long_about(format!(
            "Signs PDF documents with the key that the service keeps for whoever logs in.\n\n\
             The documents are looked over first; then the program shows the address of the login \
             (or opens it), waits for the callback on a loopback address, has the hashes signed, \
             checks each signature, and embeds it. The callback's address must be registered with \
             the service. Up to 50 documents go with one login.\n\n\
             Signed documents are PAdES B-B; with --tsa-url B-T, and with revocation answers \
             B-LT.\n\n{RULE}",
        ))
        .after_help(
            "Examples:\n  signdoc csc sign loan.pdf --open\n  \
             signdoc csc sign contracts/ -o signed --reason \"Loan agreement\" --port 8765\n  \
             signdoc csc sign loan.pdf terms.pdf --seal 40,700,1 --seal none --location Oslo",
        )
        .arg(files("PDF files, or folders with PDF files"))
        .arg(output("folder for the signed documents; default: beside each, as NAME.signed.pdf"))
        .arg(flag("overwrite", "replace existing files"))
        .arg(json())
        .next_help_heading("Signature")
        .args(signature())
        .next_help_heading(format!("Documents (each flag {ONCE})"))
        .args(documents())
        .next_help_heading("Visible seal (with --seal)")
        .args(seal())
        .next_help_heading("Login of the user")
        .args(login())
        .args(connection::args())
}

fn signature() -> Vec<Arg> {
    vec![
        choice("hash", "NAME", &["sha256", "sha384", "sha512"], "the hash function")
            .default_value("sha256"),
        choice(
            "padding",
            "NAME",
            &["pkcs1", "pss"],
            "how an RSA key signs; default: as the credential offers it, pkcs1 first",
        ),
        text("credential", "which of the user's credentials signs; default: the first")
            .value_name("ID"),
        text("description", "what the user is asked to agree to, at most 500 characters"),
        choice(
            "certify",
            "WHAT",
            &["no-changes", "form-filling", "annotations"],
            "make it a certification signature, which must be a document's first, and say what \
             may be changed afterwards",
        ),
        choice(
            "sub_filter",
            "NAME",
            &["ETSI.CAdES.detached", "adbe.pkcs7.detached"],
            "how the signature is encoded; default: ETSI.CAdES.detached, which PAdES asks for",
        ),
        text("time", "the time the signature states; default: now")
            .value_name("YYYY-MM-DDThh:mm:ssZ"),
        file("embed_certificate", "a certificate to embed for later validation, as PEM or DER"),
        file("embed_ocsp", "an OCSP response to embed, as DER"),
        file("embed_crl", "a certificate revocation list to embed, as DER"),
    ]
}

fn documents() -> Vec<Arg> {
    let each = |name: &'static str, value: &'static str, help: &'static str| {
        text(name, help).value_name(value).action(ArgAction::Append)
    };
    vec![
        each("reason", "TEXT", "why the document is signed"),
        each("location", "TEXT", "where it is signed"),
        each("contact", "TEXT", "how to reach the signer"),
        each("signer_name", "TEXT", "the signer's name; default: that of the certificate"),
        each("field", "NAME", "an empty signature field to fill; default: a new field"),
        each(
            "seal",
            "X,Y[,PAGE[,WIDTH,HEIGHT]]",
            "draw a seal there, in points from the upper left corner; default: none",
        ),
    ]
}

fn seal() -> Vec<Arg> {
    vec![
        text("seal_text", "a line of its text, may be given several times; default: the signer's name, the reason and the time")
            .action(ArgAction::Append),
        text("seal_color", "colour of text and border, such as 0d2154").value_name("RRGGBB"),
        flag("no_seal_border", "draw no border"),
        flag("seal_move", "move a seal that does not lie within its page to where it fits; else it is refused"),
    ]
}

fn login() -> Vec<Arg> {
    vec![
        flag("open", "open the address of the login in the browser"),
        text("lang", "language of the login pages: nb, nn or en"),
        number(
            "port",
            value_parser!(u16),
            "port of the loopback address for the callback; default: a free one",
        ),
    ]
}

fn choice(
    name: &'static str,
    value: &'static str,
    values: &'static [&'static str],
    help: &'static str,
) -> Arg {
    let values = clap::builder::PossibleValuesParser::new(values);
    text(name, help).value_name(value).value_parser(values)
}

fn file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name.replace('_', "-"))
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .help(help)
}
