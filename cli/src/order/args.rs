//! The commands about sign orders but `signdoc sign`, and what all of them share.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};

use crate::args::{flag, json, output};
use crate::connection;

pub(crate) use super::sign_args::sign;

pub(crate) fn download() -> Command {
    Command::new("download")
        .about("Download the results of a sign order, which deletes the order")
        .long_about(
            "Downloads the results of a completed order. The service deletes the order with it: \
             what comes is the only copy. So nothing is sent before the folder is ready, what \
             arrives is on the disk at once, and the request is never repeated. When a download \
             breaks off, `signdoc recover FOLDER` finishes what can be finished.\n\n\
             Once the request has left, Ctrl-C and --timeout end nothing: the results are received \
             first, and only a second Ctrl-C gives them up. What has no room in the folder goes to \
             --fallback-folder, to the system's temporary files, to the home or to the current \
             directory; where no place takes it, the program says so and tries again every few \
             seconds (without a terminal for 10 minutes).\n\n\
             An order whose state is not SIGN_COMPLETED is left alone; a state that cannot be \
             asked for does not keep anybody from the results.\n\n\
             Ends with 0 when every result is a file in the folder, with 8 when the order is not \
             completed, and with 7 when the answer was lost.",
        )
        .after_help(
            "Examples:\n  signdoc download 4f1c2f1e-... -o signed --original loan.pdf\n  \
             signdoc download 4f1c2f1e-... -o signed --sdo",
        )
        .arg(sign_id())
        .arg(output("the folder for the results, made when it is missing").required(true))
        .args(kind())
        .arg(
            Arg::new("original")
                .long("original")
                .value_name("FILE")
                .num_args(1)
                .action(clap::ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("a document that was sent, in its order, to compare digests; repeatable"),
        )
        .arg(flag("force", "download, and so end, an order that is not completed yet"))
        .arg(flag("overwrite", "replace existing files in the folder"))
        .arg(json())
        .args(connection::args())
}

pub(crate) fn state() -> Command {
    Command::new("state")
        .about("Ask for the state of a sign order")
        .long_about(
            "Asks the service for the state of a sign order. The order stays as it is.\n\n\
             States: ORDER_RECEIVED, GRABBED_BY_IDP, GENERATING_MERCHANT_SEALS (PAdES), \
             USER_SIGNING, ADD_DOCUMENT_SECURITY_STORE (PAdES); and at the end SIGN_COMPLETED, \
             FAILED or CANCELLED.\n\n\
             Ends with 0 whatever the state is, and with 8 when the service does not know the \
             order (any more).",
        )
        .after_help(
            "Examples:\n  signdoc state 4f1c2f1e-...\n  signdoc state 4f1c2f1e-... --sdo --json",
        )
        .arg(sign_id())
        .args(kind())
        .arg(json())
        .args(connection::args())
}

pub(crate) fn discard() -> Command {
    Command::new("discard")
        .about("End a sign order for good, in whatever state it is")
        .long_about(
            "Deletes a sign order at the service: nobody can sign or download it any more. On a \
             terminal the order's state is shown and a question asked first; without a terminal \
             --yes is needed.\n\n\
             What the service says last about the order is shown. An order that is signed has \
             results, which come with that answer and are nowhere else afterwards: they are \
             written to the folder of -o, without it to a new folder of --fallback-folder or of \
             the system's temporary files, and the program says where.\n\n\
             Ends with 130 when the question is answered with no.",
        )
        .after_help(
            "Examples:\n  signdoc discard 4f1c2f1e-...\n  signdoc discard 4f1c2f1e-... --yes --json",
        )
        .arg(sign_id())
        .args(kind())
        .arg(flag("yes", "do not ask").short('y'))
        .arg(output("folder for documents that come with the last answer, made when it is missing"))
        .arg(json())
        .args(connection::args())
}

pub(crate) fn recover() -> Command {
    Command::new("recover")
        .about("Finish downloads that a crash or a lost answer interrupted")
        .long_about(
            "Lists the downloads into a folder that were interrupted, and finishes what can be \
             finished: every document that had arrived whole is in the folder afterwards. \
             Downloads that are under way are left alone; running it again is safe.\n\n\
             With --online the service is asked what became of orders that are not complete.\n\n\
             Ends with 8 when a download is not complete.",
        )
        .after_help("Example:\n  signdoc recover signed")
        .arg(
            Arg::new("folder")
                .value_name("FOLDER")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("the folder that results were downloaded to"),
        )
        .arg(flag("online", "ask the service for the state of orders that are not complete"))
        .arg(json())
        .args(connection::args())
}

fn sign_id() -> Arg {
    Arg::new("sign_id").value_name("ORDER").required(true).help("the order: its sign_id")
}

/// Which kind of order it is, in two ways to say it.
pub(super) fn kind() -> [Arg; 2] {
    let kind = Arg::new("kind")
        .long("kind")
        .value_name("KIND")
        .value_parser(["pades", "sdo"])
        .default_value("pades")
        .help("signed PDFs, or signed data objects (SEID-SDO)");
    [kind, flag("sdo", "the same as --kind sdo").conflicts_with("kind")]
}

pub(super) fn quiet() -> Arg {
    flag("quiet", "no countdown and no table; the address and errors are still told").short('q')
}
