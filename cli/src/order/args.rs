//! The commands about sign orders.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};

use crate::args::{files, flag, json, number, output, text};
use crate::connection;

pub(crate) fn sign() -> Command {
    Command::new("sign")
        .about("Have documents signed by an end user: create an order, send them there, download")
        .long_about(
            "Creates a sign order with the documents, shows the address where the end user signs \
             (or opens it), waits until it is done, and downloads the results.\n\n\
             A PAdES order takes PDF documents. An order of signed data objects (--kind sdo) also \
             takes texts (*.txt, in UTF-8, of characters that ISO-8859-1 has) and XML (*.xml, with \
             --xls). The end user must come to sign within 90 seconds. The login comes back to a \
             loopback address, which must be registered with the service; with --redirect-uri it \
             comes back elsewhere, and this program follows the order alone.\n\n\
             The service marks the interface for PAdES orders as outdated, and the one for signed \
             data objects as deprecated.\n\n\
             Ends with 8 when the order was not completed.",
        )
        .after_help(
            "Examples:\n  signdoc sign loan.pdf terms.pdf -o signed --open\n  \
             signdoc sign consent.txt --kind sdo --name \"Consent\" -o signed --port 8765",
        )
        .arg(files("documents, or folders with PDF files"))
        .arg(output("the folder for the results, made when it is missing").required(true))
        .arg(text("name", "the order's name; default: that of the first document"))
        .arg(kind())
        .arg(text("results", "what is handed out, with commas between; default: signed documents and digests (padesSignedPdf, padesAppendix, documentHash; sdo, basicSignature, documentHash)"))
        .arg(flag("convert", "have the service convert PDF documents to PDF/A-2B first"))
        .arg(flag("visual_seals", "have seals drawn on the documents (PAdES)"))
        .arg(
            Arg::new("xls")
                .long("xls")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("the stylesheet that shows XML documents"),
        )
        .arg(number(
            "signing-time",
            value_parser!(u32),
            "seconds the end user may take to sign; default: the service's, 1800",
        ))
        .arg(number(
            "port",
            value_parser!(u16),
            "port of the loopback address for the callback; default: a free one",
        ))
        .arg(
            text("redirect_uri", "where the login comes back to, if not to this program")
                .conflicts_with("port"),
        )
        .arg(flag("open", "open the address in the browser"))
        .arg(flag("overwrite", "replace existing files in the folder"))
        .arg(json())
        .arg(quiet())
        .args(connection::args())
}

pub(crate) fn download() -> Command {
    Command::new("download")
        .about("Download the results of a sign order, which deletes the order")
        .long_about(
            "Downloads the results of a completed order. The service deletes the order with it: \
             what comes is the only copy. So nothing is sent before the folder is ready, what \
             arrives is on the disk at once, and the request is never repeated. When a download \
             breaks off, `signdoc recover FOLDER` finishes what can be finished.\n\n\
             Ends with 8 when the order is not completed, and with 7 when the answer was lost.",
        )
        .after_help("Example:\n  signdoc download 4f1c2f1e-... -o signed --original loan.pdf")
        .arg(Arg::new("sign_id").value_name("SIGN_ID").required(true).help("the order"))
        .arg(output("the folder for the results, made when it is missing").required(true))
        .arg(kind())
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

fn kind() -> Arg {
    Arg::new("kind")
        .long("kind")
        .value_name("KIND")
        .value_parser(["pades", "sdo"])
        .default_value("pades")
        .help("signed PDFs, or signed data objects (SEID-SDO)")
}

fn quiet() -> Arg {
    flag("quiet", "no countdown and no table; the address and errors are still told").short('q')
}
