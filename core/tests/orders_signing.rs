//! What needs the PDF reader: pages of seals, and digests of converted documents.
#![allow(clippy::indexing_slicing)]

#[cfg(not(feature = "signing"))]
#[test]
fn left_out() {
    println!("left out: these tests need the feature signing (cargo test --features signing)");
}

#[cfg(feature = "signing")]
#[path = "common/download.rs"]
mod download;
#[cfg(feature = "signing")]
#[path = "common/server.rs"]
mod server;

#[cfg(feature = "signing")]
mod with_the_reader {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;
    use signdoc::order::DigestCheck;
    use signdoc::{
        CallOptions, Code, Destination, Document, DownloadOptions, Error, PadesDocument,
        PadesOrder, SealPosition,
    };
    use signdoc_signature::fixtures::{PdfBuilder, append_update};

    use super::download::{Script, sha256};
    use super::server::PADES;

    fn order(pdf: impl Into<bytes::Bytes>, page: i64) -> PadesOrder {
        let document = PadesDocument {
            end_user_seal: Some(SealPosition { x: 1.0, y: 1.0, page }),
            ..PadesDocument::new(Document::from_bytes(pdf))
        };
        PadesOrder::new("o", vec![document])
    }

    #[tokio::test]
    async fn a_seal_needs_a_page_that_is_there() {
        let server = Script::completed(String::new()).start();
        let client = server.client();
        let two = PdfBuilder::new().pages(2).build();
        for page in [0, 1, 2] {
            client
                .pades()
                .create(&order(two.clone(), page), &CallOptions::default())
                .await
                .unwrap();
        }
        let sent = server.seen("POST", PADES).len();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("two.pdf");
        std::fs::write(&path, &two).unwrap();
        let mut from_file = order(two, 3);
        for document in [None, Some(Document::from_path(&path))] {
            if let Some(document) = document {
                from_file.documents[0].pdf = document;
            }
            let error =
                client.pades().create(&from_file, &CallOptions::default()).await.unwrap_err();
            assert_eq!(error.code(), Code::SealPage);
            assert_eq!(error.details()["field"], "documents[0].endUserSealPos.page");
            assert_eq!(
                (&error.details()["limit"], &error.details()["actual"]),
                (&json!(2), &json!(3))
            );
        }
        assert_eq!(server.seen("POST", PADES).len(), sent);
        // What cannot be counted here is left to the service.
        let broken = order(&b"%PDF-1.4 broken"[..], 9);
        client.pades().create(&broken, &CallOptions::default()).await.unwrap();
    }

    /// The check of a converted document whose stated digest is `stated`.
    async fn check(signed: &[u8], stated: String, to: Destination) -> Result<DigestCheck, Error> {
        let text = json!({"signingResults": [{"padesSignedPdf": STANDARD.encode(signed),
            "unsignedDocumentSha256": stated}]});
        let mut script = Script::completed(text.to_string());
        script.created = json!({"sign_id": "910b", "conversionResults": [{"converted": true}]});
        let server = script.start();
        let client = server.client();
        let mut order = order(PdfBuilder::new().build(), 1);
        order.documents[0].pdf_spec = Some("PDFA_2B".to_owned());
        let order = client.pades().create(&order, &CallOptions::default()).await?;
        let options = DownloadOptions { to, ..DownloadOptions::default() };
        let got = client.pades().download(&order, &options).await?;
        Ok(got.documents[0].unsigned_check.clone())
    }

    #[tokio::test]
    async fn a_converted_document_is_compared_by_its_first_revision() {
        // What the service signed is not what was sent, but what it converted it to.
        let converted = PdfBuilder::new().pages(3).build();
        let signed = append_update(&converted, &[(50, "<</Type/Sig>>")], 1);
        assert!(signed.starts_with(&converted) && signed.len() > converted.len());
        let good = sha256(&converted);
        let folder = tempfile::tempdir().unwrap();
        for to in [Destination::Memory, Destination::folder(folder.path())] {
            let matches = check(&signed, good.clone(), to).await.unwrap();
            assert_eq!(matches, DigestCheck::Matches);
        }
        let error = check(&signed, sha256(b"another"), Destination::Memory).await.unwrap_err();
        assert_eq!(error.code(), Code::DigestMismatch);
        assert_eq!(error.details()["field"], "unsignedDocumentSha256");
        let unreadable = check(b"%PDF-1.4 x", good, Destination::Memory).await.unwrap();
        assert!(matches!(unreadable, DigestCheck::NotCompared(_)));
    }
}
