//! Flags that do not apply are refused, and so are values that do not fit the documents.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use common::user::loan;
use common::{client, program, run, sandbox, text};

#[test]
fn a_flag_that_does_not_apply_is_refused() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    for (arguments, parts) in [
        (&["--sdo", "--visual-seals"][..], &["--visual-seals", "--sdo"][..]),
        (&["--sdo", "--convert"], &["--convert", "--sdo"]),
        (&["--kind", "sdo", "--strict"], &["--strict", "PAdES"]),
        (&["--sdo", "--merchant-seal", "1,2"], &["--merchant-seal"]),
        (&["--sdo", "--end-user-seal", "1,2"], &["--end-user-seal"]),
        (&["--sdo", "--end-user-only"], &["--end-user-only"]),
        (&["--xls", "sheet.xsl"], &["--xls", "add --sdo"]),
        (&["--text", "I agree."], &["--text", "add --sdo"]),
        (&["--sdo", "--xls", "sheet.xsl"], &["--xls", "XML"]),
        (&["--strict"], &["--strict", "--convert"]),
        (&["--merchant-seal", "1,2"], &["--merchant-seal", "--visual-seals"]),
        (
            &["--visual-seals", "--merchant-seal", "1,2", "--end-user-only"],
            &["--merchant-seal", "loan.pdf", "--end-user-only"],
        ),
        (&["--response-mode", "fragment"], &["--response-mode fragment", "--redirect-uri"]),
        (&["--redirect-uri", "https://shop.example/cb", "--port", "8765"], &["--port"]),
        (&["--sdo", "--kind", "pades"], &["--sdo", "--kind"]),
        (&["--confirmation", "--no-confirmation"], &["--no-confirmation"]),
    ] {
        let mut all = vec!["sign", &file, "-o", "never"];
        all.extend(arguments);
        let ran = run(client(&sandbox, &all)).ended(2);
        for part in parts {
            assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
        }
    }
    for (arguments, flag) in [
        (&["csc", "sign", &file, "--seal-text", "x"][..], "--seal-text"),
        (&["csc", "sign", &file, "--no-seal-border"], "--no-seal-border"),
        (&["recover", ".", "--timeout", "3"], "--timeout"),
        (&["recover", ".", "--client-secret-file", "x"], "--client-secret-file"),
    ] {
        let ran = run(client(&sandbox, arguments)).ended(2);
        assert!(ran.stderr.contains(flag), "{}", ran.stderr);
    }
    assert!(sandbox.requests().is_empty(), "nothing is sent before the command line is right");
}

#[test]
fn a_wrong_count_names_how_many_documents_and_how_many_values() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let files = ["a.pdf", "b.pdf", "c.pdf"].map(|name| loan(folder.path(), name));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for (arguments, said) in [
        (
            &["--description", "A"][..],
            "--description is given once for 3 documents; give it 3 times",
        ),
        (
            &["--visual-seals", "--merchant-seal", "1,2", "--merchant-seal", "3,4"],
            "--merchant-seal is given 2 times for 3 documents; give it once for all of them",
        ),
        (&["--convert", "--convert"], "--convert is given 2 times for 3 documents"),
        (&["--end-user-only=yes", "--end-user-only=no"], "2 times for 3 documents"),
        (&["--visual-seals", "--end-user-seal", "1;2"], "--end-user-seal is \"1;2\"; give X,Y"),
        (&["--visual-seals", "--end-user-seal", "1,2,1.5"], "whose page is 1.5"),
    ] {
        let mut all = vec!["sign", "-o", "never"];
        all.extend(&files);
        all.extend(arguments);
        let ran = run(client(&sandbox, &all)).ended(2);
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
    let mut all = vec!["csc", "sign", "--reason", "a", "--reason", "b"];
    all.extend(&files);
    let ran = run(client(&sandbox, &all)).ended(2);
    assert!(ran.stderr.contains("--reason is given 2 times for 3 documents"), "{}", ran.stderr);
    assert!(sandbox.requests().is_empty());
}

#[test]
fn a_text_is_no_pdf_and_the_remedy_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("consent.txt");
    std::fs::write(&path, "I agree.").unwrap();
    let ran = run(client(&sandbox(), &["sign", &text(&path), "-o", "never"])).ended(3);
    assert!(ran.stderr.contains("consent.txt is no PDF") && ran.stderr.contains("add --sdo"));
    // Without any document, usage is told.
    let ran = run(program(&["sign", "-o", "never"])).ended(2);
    assert!(ran.stderr.contains("<FILE|FOLDER>..."), "{}", ran.stderr);
}
