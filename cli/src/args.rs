//! The command line: every command, option and help text.

use clap::builder::styling::{AnsiColor, Styles};
use std::path::PathBuf;

use clap::builder::{
    NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser as _, ValueParser,
};
use clap::{Arg, ArgAction, Command, value_parser};

use signdoc::spec::values::PDFA_2B;
use signdoc_sandbox::ServerCertificate;

use crate::{bundle, connection, csc, exit, extend, order, preflight, verify};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  signdoc demo
  signdoc convert loan.pdf terms.pdf -o converted
  signdoc preflight loan.pdf
  signdoc sign loan.pdf -o signed --open
  signdoc verify signed.pdf --original loan.pdf --trust roots.pem
  signdoc check
  signdoc explain DOC_SIGNED

How to reach the service is told by SIGNDOC_ISSUER, SIGNDOC_CLIENT_ID and SIGNDOC_CLIENT_SECRET
(or SIGNDOC_CLIENT_SECRET_FILE) in the environment; `signdoc convert --help` has all options.";

/// The whole program.
pub(crate) fn command() -> Command {
    Command::new("signdoc")
        .bin_name("signdoc")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Client of a document-signing and PDF-conversion service")
        .after_help(format!("{EXAMPLES}\n\n{}", exit::HELP))
        .styles(STYLES)
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(demo())
        .subcommand(convert())
        .subcommand(specs())
        .subcommand(preflight())
        .subcommand(verify_command())
        .subcommand(extend::command())
        .subcommand(bundle_command())
        .subcommand(order::args::sign())
        .subcommand(order::args::download())
        .subcommand(order::args::state())
        .subcommand(order::args::discard())
        .subcommand(order::args::recover())
        .subcommand(csc::args::csc())
        .subcommand(check())
        .subcommand(explain())
        .subcommand(sandbox())
        .subcommand(samples())
}

fn demo() -> Command {
    Command::new("demo")
        .about("See a conversion from end to end, without the service")
        .long_about(
            "Starts a sandbox of the whole service inside this program, makes sample documents, \
             converts them through the same client that `signdoc convert` uses, and shows what \
             came of each.\n\n\
             Nothing leaves this machine. Conversions are made by Ghostscript; where it is not \
             installed the documents stay as they are, and the program says so.",
        )
        .after_help("Examples:\n  signdoc demo\n  signdoc demo -o demo-files")
        .arg(output("folder for samples and results; default: a new temporary folder, which stays"))
        .arg(no_converter())
        .arg(json())
}

fn samples() -> Command {
    Command::new("samples")
        .about("Write generated sample PDFs to a folder")
        .long_about(
            "Writes generated PDF documents that look like life to a folder: text with an \
             embedded font, photographs, one of the largest size a conversion takes, and some \
             that cannot be converted. All names in them are invented.",
        )
        .after_help("Example:\n  signdoc samples -o samples")
        .arg(flag(
            "warnings",
            "also those that show each conversion warning, and those that only nearly do",
        ))
        .arg(output("the folder, made when it is missing").required(true))
        .arg(flag("overwrite", "replace existing files in the folder"))
        .arg(json())
}

fn sandbox() -> Command {
    Command::new("sandbox")
        .about("Run the whole service on this machine, for trying and testing")
        .long_about(
            "Runs the whole service on the loopback address: identity provider, conversion, and \
             a control surface under /_sandbox/ for tests.\n\n\
             When it is ready it prints one line of JSON that tells how to reach it: issuer, \
             client_id, client_secret and more; on a terminal also the lines to type into another \
             one. It ends on Ctrl-C, and when its standard input closes (not with --keep).",
        )
        .after_help(
            "Examples:\n  \
             signdoc sandbox --port 8400 --client-id shop --client-secret only-for-tests\n\n  \
             and in another terminal:\n  \
             export SIGNDOC_ISSUER=http://127.0.0.1:8400/auth/realms/sandbox\n  \
             export SIGNDOC_CLIENT_ID=shop SIGNDOC_CLIENT_SECRET=only-for-tests\n  \
             signdoc samples -o samples\n  signdoc convert samples -o converted",
        )
        .arg(number(
            "port",
            value_parser!(u16),
            "port on the loopback address; default: a free one",
        ))
        .arg(
            Arg::new("environment")
                .long("environment")
                .value_name("NAME")
                .value_parser(["production", "test"])
                .default_value("production")
                .help("which environment to be; in test every conversion is disabled"),
        )
        .arg(number(
            "seed",
            value_parser!(u64),
            "makes secrets, tokens and keys repeat from run to run",
        ))
        .arg(text("client_id", "identifier of the client it knows; default: sandbox-client"))
        .arg(text("client_secret", "its secret; default: a random one"))
        .arg(
            Arg::new("client_jwks")
                .long("client-jwks")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("its public keys, as a JWK set or PEM, for private_key_jwt"),
        )
        .arg(flag("tls", "https with a throw-away authority; the line of JSON says where it is"))
        .arg(
            Arg::new("tls_certificate")
                .long("tls-certificate")
                .value_name("KIND")
                .value_parser(
                    PossibleValuesParser::new(["valid", "expired", "wrong-name", "unknown-ca"])
                        .try_map(|kind| kind.parse::<ServerCertificate>()),
                )
                .help("which certificate the server shows; https as with --tls"),
        )
        .arg(flag("tls_client_ca", "ask clients for a certificate; https as with --tls"))
        .arg(flag(
            "two_addresses",
            "serve orders at an address of their own, which only the discovery document tells",
        ))
        .arg(no_converter())
        .arg(flag("keep", "go on when standard input closes"))
        .arg(flag("log", "one line for each request on standard error"))
}

fn convert() -> Command {
    Command::new("convert")
        .about("Convert PDF documents to PDF/A-2B")
        .long_about(
            "Converts PDF documents to PDF/A-2B and writes the results to a folder.\n\n\
             A folder in place of a file stands for its *.pdf files, sorted by name. One call of \
             the service takes 15 documents of at most 3750000 bytes; more documents are sent in \
             several calls, some at the same time, each checked before it is sent. When the \
             service refuses some documents of a call, the others are sent once more without \
             them. After a call that failed as a whole, no further ones begin.\n\n\
             With --resume a manifest remembers what is done: run the same command again after an \
             interruption, and only the rest is sent. A document that was changed since is sent \
             again.\n\n\
             Results are called after their documents. They appear complete or not at all; an \
             existing file is replaced only with --overwrite.",
        )
        .after_help(
            "Examples:\n  \
             export SIGNDOC_ISSUER=https://id.example/realm SIGNDOC_CLIENT_ID=shop\n  \
             export SIGNDOC_CLIENT_SECRET_FILE=/run/secrets/signdoc\n  \
             signdoc convert loan.pdf terms.pdf -o converted\n  \
             signdoc convert contracts/ -o converted --jobs 8 --resume\n  \
             signdoc convert contracts/ -o converted --json --quiet > results.json",
        )
        .arg(files("PDF files, or folders with PDF files"))
        .arg(output("the folder for the results, made when it is missing").required(true))
        .arg(
            text("pdf_spec", "what to convert to; `signdoc specs` asks the service for its choice")
                .value_name("SPEC")
                .default_value(PDFA_2B),
        )
        .arg(
            number(
                "jobs",
                value_parser!(u8).range(1..=64),
                "calls under way at the same time, 1 to 64",
            )
            .short('j')
            .default_value("4"),
        )
        .arg(
            Arg::new("resume")
                .long("resume")
                .value_name("MANIFEST")
                .num_args(0..=1)
                .require_equals(true)
                .value_parser(value_parser!(PathBuf))
                .help(
                    "send only what an earlier run has not converted; what is done stands in \
                     MANIFEST, by default .signdoc-manifest.jsonl in the folder of the results",
                ),
        )
        .arg(flag("overwrite", "replace existing files in the folder"))
        .arg(flag(
            "allow_signed",
            "convert documents that are already signed, which removes their signatures \
             (deprecated by the service)",
        ))
        .arg(json())
        .arg(flag("quiet", "no progress bar and no table; errors are still told").short('q'))
        .args(connection::args())
}

fn specs() -> Command {
    Command::new("specs")
        .about("Ask which conversions the service offers")
        .after_help("Examples:\n  signdoc specs\n  signdoc specs --json")
        .arg(json())
        .args(connection::args())
}

fn preflight() -> Command {
    Command::new("preflight")
        .about("Look PDF documents over before they are sent")
        .long_about(
            "Tells what the service will refuse, and what its conversion to PDF/A will probably \
             warn about: one line for each finding, with the remedy. Nothing is sent.\n\n\
             A folder in place of a file stands for its *.pdf files, sorted by name. Errors are \
             sure, warnings say what a converter usually does. With --preview a page shows where \
             visible seals would lie before an order is created. Ends with 3 when a document would \
             be refused, or a seal has a place that is wrong.",
        )
        .after_help(
            "Examples:\n  signdoc preflight loan.pdf\n  signdoc preflight contracts/ --json\n  \
             signdoc preflight loan.pdf --preview seals.html --seal 72,640 --seal 72,700,2",
        )
        .arg(files("PDF files, or folders with PDF files"))
        .args(preflight::args())
        .arg(json())
}

fn verify_command() -> Command {
    Command::new("verify")
        .about("Is a signed document what was sent, signed by whom, and nothing else?")
        .long_about(
            "Verifies signed PDF documents, signed data objects (SEID-SDO) and evidence bundles \
             of either, offline: a report of checks, each passed, failed or not checked, and a \
             plain verdict.\n\n\
             Nobody is trusted but whom --trust names: without it no document verifies. A PDF is \
             verified when its signatures hold, lead to a trusted certificate, and no later \
             change is more than what signing needs; with --original, also when it is that very \
             document. A missing timestamp or revocation answer counts only with --require.\n\n\
             Ends with 0 when all files are verified, with 6 when one is not.",
        )
        .after_help(
            "Examples:\n  \
             signdoc verify signed.pdf --trust roots.pem --original loan.pdf\n  \
             signdoc verify signed.pdf --trust roots.pem --signer \"Kari Nordmann\" --require B-LT\n  \
             signdoc verify signed.pdf --trust roots.pem --html report.html --pictures\n  \
             signdoc verify order.sdo --trust roots.pem --original terms.txt --json",
        )
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .num_args(1..)
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("signed PDFs, files with signed data objects, or evidence bundles"),
        )
        .args(verify::args())
        .arg(json())
}

fn bundle_command() -> Command {
    Command::new("bundle")
        .about("Put a signed document and its evidence into one file")
        .long_about(
            "Makes an evidence bundle, one file (ASiC-E, ETSI EN 319 162-1) that `signdoc verify` \
             checks in one call: the signed document, what was sent, what the service said of the \
             order, who logged in, certificates and revocation answers, what a verification finds \
             now, and a timestamp over the digests of all.\n\n\
             Only the timestamp authority is asked; without --tsa-url the bundle has no \
             timestamp, and its report says so. Numbers of persons among the claims are left \
             out, unless --numbers asks for them.\n\n\
             Ends with 0 when the bundle is made, and with 6 when it is made, certificates are \
             trusted, and it does not verify.",
        )
        .after_help(
            "Examples:\n  \
             signdoc bundle signed.pdf --original loan.pdf --trust roots.pem -o loan.asice\n  \
             signdoc bundle order.sdo --identity claims.json --tsa-url https://tsa.example \\\n    \
             -o order.asice\n  \
             signdoc verify loan.asice --trust roots.pem --require container_timestamp",
        )
        .args(bundle::args())
        .arg(flag("overwrite", "replace an existing file"))
        .arg(json())
}

fn check() -> Command {
    Command::new("check")
        .about("Look whether everything is in place for a call, and what to do if not")
        .long_about(
            "Looks at everything a call needs: configuration, discovery, TLS, proxy, clock, \
             credentials, service and scope. It sends a discovery request, a token request and \
             the question which conversions there are; no document.\n\n\
             Ends with 0 when nothing is wrong, 2 for the configuration, 4 for credentials or \
             scope, and 5 for all else.",
        )
        .after_help("Examples:\n  signdoc check\n  signdoc check --issuer https://id.example/realm")
        .arg(json())
        .args(connection::args())
}

fn explain() -> Command {
    Command::new("explain")
        .about("Tell what an error or warning means and what to do about it")
        .long_about(
            "Tells what an error or a conversion warning means and what to do about it.\n\n\
             Give a number, a name, a constant or the service's own text. A name that stands in \
             several parts of the interface shows all of them. Without a word, all codes are \
             listed.",
        )
        .after_help(
            "Examples:\n  signdoc explain 505\n  signdoc explain invalid_request\n  \
             signdoc explain Document contains signatures\n  signdoc explain --json FONT_SUBST",
        )
        .arg(
            Arg::new("word")
                .value_name("WORD|NUMBER")
                .num_args(0..)
                .help("number, name (DOC_SIGNED), constant (SIGNDOC_E_...) or the service's text"),
        )
        .arg(json())
}

pub(crate) fn files(help: &'static str) -> Arg {
    Arg::new("files")
        .value_name("FILE|FOLDER")
        .num_args(1..)
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

pub(crate) fn output(help: &'static str) -> Arg {
    Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

fn no_converter() -> Arg {
    flag("no_converter", "as if no converter were installed")
}

pub(crate) fn text(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name.replace('_', "-"))
        .value_name("TEXT")
        .value_parser(NonEmptyStringValueParser::new())
        .help(help)
}

pub(crate) fn number(
    name: &'static str,
    parser: impl Into<ValueParser>,
    help: &'static str,
) -> Arg {
    Arg::new(name).long(name).value_name("NUMBER").value_parser(parser.into()).help(help)
}

pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name.replace('_', "-")).action(ArgAction::SetTrue).help(help)
}

pub(crate) fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("print one JSON document on standard output")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }
}
