//! Long-term proof, against an authority that publishes its evidence and a server that does not
//! always answer well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/server.rs"]
mod server;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use server::{Reply, Seen, Server, Then};
use signdoc::extend::{AddedKind, ExtendOptions, Extended};
use signdoc::{Client, Code, Config, Document, Error};
use signdoc_signature::asn1::Time;
use signdoc_signature::cms::{Assembly, AttributeOptions, assemble, signed_attributes};
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::fixtures;
use signdoc_signature::pdf::{SharedSource, copy_range};
use signdoc_signature::pki::{
    Identity, OcspOptions, Pki, PkiOptions, Profile, Published, RevocationReason, Subject,
};
use signdoc_signature::sign::{PrepareOptions, prepare};
use signdoc_signature::verify::{Level, VerifyOptions, verify_bytes};

const DAY: i64 = 86_400;
const YEAR: i64 = 365 * DAY;
/// 2026-11-20T12:00:00Z: tests do not depend on the day they run.
const START: i64 = 1_795_176_000;
const HASH: HashAlgorithm = HashAlgorithm::Sha256;

type Script = Box<dyn FnMut(&Seen) -> Option<Reply> + Send>;

/// An authority at its address, at a time of its own; `script` may answer in its place.
struct World {
    server: Server,
    pki: Arc<OnceLock<Pki>>,
    now: Arc<AtomicI64>,
    script: Arc<Mutex<Script>>,
}

fn reply(kind: &str, der: Vec<u8>) -> Reply {
    Reply::new(200, kind, &[], &der)
}

fn answer(seen: &Seen, pki: &Pki, now: Time) -> Option<Reply> {
    Some(match seen.target.as_str() {
        "/tsa" => {
            reply("application/timestamp-reply", pki.timestamp_response(&seen.body, now).ok()?)
        }
        "/ocsp" => reply("application/ocsp-response", pki.ocsp_answer(&seen.body, now).ok()?),
        path => {
            let what = Published::of_name(path.strip_prefix('/')?)?;
            reply(what.media_type(), pki.published(what, now).ok()?)
        }
    })
}

impl World {
    fn new(seed: u64) -> Self {
        let pki: Arc<OnceLock<Pki>> = Arc::default();
        let now = Arc::new(AtomicI64::new(START));
        let script: Arc<Mutex<Script>> = Arc::new(Mutex::new(Box::new(|_| None)));
        let (keys, clock, own) = (pki.clone(), now.clone(), script.clone());
        let server = Server::start(move |seen| {
            let scripted = (own.lock().unwrap())(seen);
            let now = Time::from_unix(clock.load(Ordering::SeqCst));
            scripted.or_else(|| answer(seen, keys.get()?, now))
        });
        let options = PkiOptions { seed, issued: Time::from_unix(START - DAY), key: KeyKind::P256 };
        let address = server.url().trim_end_matches('/').to_owned();
        pki.set(Pki::published_at(options, Some(&address)).unwrap()).unwrap();
        Self { server, pki, now, script }
    }

    fn pki(&self) -> &Pki {
        self.pki.get().unwrap()
    }

    fn now(&self) -> Time {
        Time::from_unix(self.now.load(Ordering::SeqCst))
    }

    fn pass(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn instead(&self, script: impl FnMut(&Seen) -> Option<Reply> + Send + 'static) {
        *self.script.lock().unwrap() = Box::new(script);
    }

    fn count(&self, path: &str) -> usize {
        self.server.all_seen().iter().filter(|seen| seen.target == path).count()
    }

    fn person(&self) -> Identity {
        let subject = Subject::person("Kari", "Nordmann", 1);
        let issued = Time::from_unix(START - DAY);
        self.pki().issue(&Profile::person(subject, KeyKind::P256, issued)).unwrap()
    }

    /// A PDF that is signed now.
    fn signed(&self, by: &Identity, stamped: bool) -> Vec<u8> {
        self.signed_over(&fixtures::simple(), by, stamped)
    }

    fn signed_over(&self, pdf: &[u8], by: &Identity, stamped: bool) -> Vec<u8> {
        let options =
            PrepareOptions { time: Some(self.now()), reserve: 8192, ..PrepareOptions::default() };
        let source: SharedSource = Arc::new(bytes::Bytes::copy_from_slice(pdf));
        let prepared = prepare(source, &options).unwrap();
        let digest = prepared.digest(HASH).unwrap();
        let plain = AttributeOptions::default();
        let attributes = signed_attributes(&digest, HASH, by.certificate(), &plain).unwrap();
        let algorithm = by.algorithm(HASH);
        let value = by.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
        let stamp = || self.pki().timestamp(&HASH.digest(&value), HASH, self.now(), None).unwrap();
        let token = stamped.then(stamp);
        let cms = assemble(&Assembly {
            attributes: &attributes,
            algorithm,
            signature: &value,
            signer: by.certificate(),
            // The issuing authority is left to be fetched.
            others: &[],
            timestamp: token.as_deref(),
            content: None,
        })
        .unwrap();
        let mut out = Vec::new();
        prepared.embed(&cms, &mut out).unwrap();
        out
    }

    fn client(&self) -> Client {
        self.client_with(&[])
    }

    fn client_with(&self, options: &[(&str, &str)]) -> Client {
        let mut builder = Config::builder();
        builder.set("tsa_url", &format!("{}/tsa", self.server.url())).unwrap();
        for (key, value) in options {
            builder.set(key, value).unwrap();
        }
        Client::new(builder.build_without_account().unwrap()).unwrap()
    }

    fn options(&self) -> ExtendOptions {
        let pem = self.pki().trust_pem();
        ExtendOptions {
            trust: vec![Document::from_bytes(pem.into_bytes())],
            at: Some(self.now()),
            ..ExtendOptions::default()
        }
    }

    async fn extend(&self, pdf: &[u8], options: &ExtendOptions) -> Result<Extended, Error> {
        self.client().extend_pdf(&Document::from_bytes(pdf.to_vec()), options).await
    }

    fn level_at(&self, pdf: &[u8], at: Time) -> (bool, Option<Level>) {
        let options =
            VerifyOptions { trust: self.pki().anchors(), at: Some(at), ..VerifyOptions::default() };
        let report = verify_bytes(pdf.to_vec(), &options);
        (report.ok, report.signatures[0].level)
    }
}

fn bytes_of(extended: &Extended) -> Vec<u8> {
    extended.data.as_ref().unwrap().to_vec()
}

fn told(extended: &Extended) -> String {
    format!("{:#?}", extended.notes)
}

fn count(extended: &Extended, kind: AddedKind) -> usize {
    extended.added.iter().filter(|added| added.kind == kind).count()
}

#[tokio::test]
async fn a_signature_reaches_b_lta_and_is_renewed_for_as_long_as_anybody_asks() {
    let world = World::new(1);
    let kari = world.person();
    let signed = world.signed(&kari, true);
    world.pass(DAY);
    let first = world.extend(&signed, &world.options()).await.unwrap();
    assert_eq!(first.level, Some(Level::BLTA), "{}", told(&first));
    assert!(first.is_reached() && first.notes.is_empty(), "{}", told(&first));
    assert_eq!(first.signatures[0].before, Some(Level::BT));
    // The signer, the authority of timestamps, and who issued both.
    assert_eq!(count(&first, AddedKind::Ocsp), 3, "{:#?}", first.added);
    assert_eq!((count(&first, AddedKind::Crl), count(&first, AddedKind::Timestamp)), (0, 1));
    let extended = bytes_of(&first);
    assert!(extended.starts_with(&signed));

    // The signer's certificate ends after two years, the authority's after five.
    world.pass(4 * YEAR);
    assert_eq!(world.level_at(&signed, world.now()), (true, Some(Level::BT)));
    assert_eq!(world.level_at(&extended, world.now()), (true, Some(Level::BLTA)));
    let second = world.extend(&extended, &world.options()).await.unwrap();
    assert_eq!(second.level, Some(Level::BLTA), "{}", told(&second));
    assert_eq!(second.signatures[0].before, Some(Level::BLTA));
    let renewed = bytes_of(&second);
    assert!(renewed.starts_with(&extended));
    // Old evidence is not asked for again, the former timestamp's is.
    assert!(count(&second, AddedKind::Ocsp) >= 2, "{:#?}", second.added);

    world.pass(3 * YEAR);
    assert_eq!(world.level_at(&renewed, world.now()), (true, Some(Level::BLTA)));
    // What was not renewed in time proves nothing any more.
    assert!(!world.level_at(&signed, world.now()).0);
    assert!(!world.level_at(&extended, world.now()).0);
    let third = world.extend(&renewed, &world.options()).await.unwrap();
    assert_eq!(third.level, Some(Level::BLTA), "{}", told(&third));
    assert!(bytes_of(&third).starts_with(&renewed));
    let late = world.extend(&extended, &world.options()).await.unwrap_err();
    assert_eq!(late.code(), Code::CertificateExpired, "{late}");
}

#[tokio::test]
async fn a_signature_without_a_timestamp_gets_a_document_timestamp() {
    let world = World::new(2);
    let signed = world.signed(&world.person(), false);
    for level in [Level::BLTA, Level::BLT] {
        let options = ExtendOptions { level, ..world.options() };
        let extended = world.extend(&signed, &options).await.unwrap();
        assert_eq!(extended.level, Some(Level::BLTA), "{}", told(&extended));
        assert!(extended.is_reached());
        let later = Time::from_unix(START + 3 * YEAR);
        assert_eq!(world.level_at(&bytes_of(&extended), later), (true, Some(Level::BLTA)));
    }
}

#[tokio::test]
async fn b_lt_adds_no_timestamp_where_there_is_one() {
    let world = World::new(3);
    let signed = world.signed(&world.person(), true);
    let options = ExtendOptions { level: Level::BLT, ..world.options() };
    let extended = world.extend(&signed, &options).await.unwrap();
    assert_eq!(extended.level, Some(Level::BLT), "{}", told(&extended));
    assert_eq!((count(&extended, AddedKind::Timestamp), world.count("/tsa")), (0, 0));
    // All of it is there: nothing is asked for twice, and the signer needs nobody any more.
    let again = ExtendOptions { fetch: false, ..options };
    let same = world.extend(&bytes_of(&extended), &again).await.unwrap();
    assert_eq!(same.level, Some(Level::BLT));
    assert_eq!(bytes_of(&same), bytes_of(&extended));
}

#[tokio::test]
async fn with_nobody_trusted_chains_end_where_they_lead() {
    let world = World::new(4);
    let signed = world.signed(&world.person(), true);
    let options = ExtendOptions { trust: vec![], ..world.options() };
    let extended = world.extend(&signed, &options).await.unwrap();
    assert_eq!(extended.level, Some(Level::BLTA), "{}", told(&extended));
    assert_eq!(extended.notes.len(), 1, "{}", told(&extended));
    assert!(extended.notes[0].about.contains("Root CA"), "{}", told(&extended));
    assert_eq!(world.level_at(&bytes_of(&extended), world.now()), (true, Some(Level::BLTA)));
    // With somebody else trusted it is refused, and nothing is stamped.
    let stamps = world.count("/tsa");
    let other = Pki::new(99).unwrap().trust_pem().into_bytes();
    let options = ExtendOptions { trust: vec![Document::from_bytes(other)], ..world.options() };
    let error = world.extend(&signed, &options).await.unwrap_err();
    assert_eq!(error.code(), Code::ChainUntrusted, "{error}");
    assert_eq!(world.count("/tsa"), stamps + 1, "only the one that is dropped");
}

#[tokio::test]
async fn what_is_given_is_asked_before_anybody_else() {
    let world = World::new(5);
    let kari = world.person();
    let signed = world.signed(&kari, true);
    let pki = world.pki();
    let ocsp = |who| {
        let whole = pki.ocsp(who, &OcspOptions::at(world.now())).unwrap();
        Document::from_bytes(whole)
    };
    let crl = signdoc_signature::x509::to_pem("X509 CRL", &pki.root_crl(world.now()).unwrap());
    let issuing = pki.issuing().certificate().as_der().to_vec();
    let options = ExtendOptions {
        fetch: false,
        certificates: vec![Document::from_bytes(issuing)],
        revocations: vec![
            ocsp(kari.certificate()),
            ocsp(pki.timestamping().certificate()),
            Document::from_bytes(crl.into_bytes()),
        ],
        ..world.options()
    };
    let extended = world.extend(&signed, &options).await.unwrap();
    assert_eq!(extended.level, Some(Level::BLTA), "{}", told(&extended));
    assert_eq!((world.count("/ocsp"), world.count("/issuing.cer")), (0, 0));
    assert_eq!((count(&extended, AddedKind::Ocsp), count(&extended, AddedKind::Crl)), (2, 1));
    assert!(extended.added.iter().any(|added| added.source == "given"));
    // Without it, the notes say whom nobody answers for.
    let options = ExtendOptions { revocations: vec![], ..options };
    let extended = world.extend(&signed, &options).await.unwrap();
    assert!(!extended.is_reached());
    assert!(told(&extended).contains("nobody was asked"), "{}", told(&extended));
    let garbage = vec![Document::from_bytes(&b"garbage"[..])];
    let options = ExtendOptions { revocations: garbage, ..options };
    let error = world.extend(&signed, &options).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.details()["field"], "revocations[0]");
}

type Broken = Box<dyn Fn(&Seen) -> Option<Reply> + Send>;

fn redirect(to: &str) -> Reply {
    Reply::new(302, "text/plain", &[("location", to)], b"")
}

/// Everything but the authority of timestamps goes wrong; `broken` says how.
async fn hostile(seed: u64, broken: impl Fn(&Seen) -> Option<Reply> + Send + 'static) -> Extended {
    let world = World::new(seed);
    let signed = world.signed(&world.person(), true);
    world.instead(move |seen| match seen.target.as_str() {
        "/tsa" => None,
        _ => broken(seen),
    });
    let client = world.client_with(&[("read_timeout", "0.5"), ("timeout", "20")]);
    let issuing = world.pki().issuing().certificate().as_der().to_vec();
    let options =
        ExtendOptions { certificates: vec![Document::from_bytes(issuing)], ..world.options() };
    let document = Document::from_bytes(signed.clone());
    let extended = client.extend_pdf(&document, &options).await.unwrap();
    assert!(bytes_of(&extended).starts_with(&signed));
    assert_eq!(count(&extended, AddedKind::Timestamp), 1);
    assert!(world.server.all_seen().len() < 40, "{}", world.server.all_seen().len());
    extended
}

#[tokio::test]
async fn hostile_answers_are_noted_and_end_nothing() {
    let cases: Vec<(&str, Broken)> = vec![
        ("HTTP status 404", Box::new(|_| Some(Reply::text(404, "no")))),
        ("HTTP status 500", Box::new(|_| Some(Reply::html(500)))),
        ("answered with a page", Box::new(|_| Some(Reply::html(200)))),
        ("answered: ocsp", Box::new(|_| Some(Reply::text(200, "garbage")))),
        ("answered with nothing", Box::new(|_| Some(Reply::text(200, "")))),
        ("redirects more than 3 times", Box::new(|seen| Some(redirect(&seen.target)))),
        ("of kind file", Box::new(|_| Some(redirect("file:///etc/passwd")))),
        ("redirects to nowhere", Box::new(|_| Some(Reply::text(307, "")))),
        ("more than 262144 bytes", Box::new(|_| Some(reply("x/y", vec![0x30; 300_000])))),
        ("more than 4194304 bytes", Box::new(|_| Some(Reply::until_close(&vec![0x30; 5 << 20])))),
        ("nothing moved", Box::new(|_| Some(Reply::nothing(Then::Stall(Duration::from_secs(2)))))),
        ("did not answer", Box::new(|_| Some(Reply::nothing(Then::Reset)))),
        (
            "unauthorized",
            Box::new(|seen| {
                (seen.target == "/ocsp").then(|| reply("x/y", vec![0x30, 3, 0x0a, 1, 6]))
            }),
        ),
    ];
    for (index, (wanted, broken)) in cases.into_iter().enumerate() {
        let extended = hostile(20 + index as u64, broken).await;
        let told = told(&extended);
        if wanted == "unauthorized" {
            // The lists answer instead.
            assert_eq!(extended.level, Some(Level::BLTA), "{told}");
            assert_eq!(count(&extended, AddedKind::Crl), 2, "{told}");
            continue;
        }
        assert_eq!(extended.level, Some(Level::BT), "{wanted}: {told}");
        assert!(told.contains(wanted), "{wanted}: {told}");
        assert!(extended.notes.iter().all(|note| !note.advice.is_empty()));
    }
}

#[tokio::test]
async fn redirects_are_followed_and_wrong_types_forgiven() {
    let world = World::new(6);
    let signed = world.signed(&world.person(), true);
    let pki = world.pki.clone();
    let now = world.now();
    world.instead(move |seen| match seen.target.as_str() {
        "/ocsp" => Some(redirect("/moved/ocsp")),
        "/moved/ocsp" if seen.method == "POST" => {
            Some(reply("text/html", pki.get()?.ocsp_answer(&seen.body, now).ok()?))
        }
        _ => None,
    });
    let extended = world.extend(&signed, &world.options()).await.unwrap();
    assert_eq!(extended.level, Some(Level::BLTA), "{}", told(&extended));
}

#[tokio::test]
async fn answers_about_others_or_of_others_are_not_taken() {
    let world = World::new(7);
    let signed = world.signed(&world.person(), true);
    // The same names, other keys: whoever sits on the way could make these.
    let options =
        PkiOptions { seed: 7, issued: Time::from_unix(START - 9 * DAY), key: KeyKind::P384 };
    let forger = Pki::with_options(options).unwrap();
    let now = world.now();
    world.instead(move |seen| match seen.target.as_str() {
        "/tsa" | "/issuing.cer" => None,
        path => match Published::of_name(path.trim_start_matches('/')) {
            Some(what) => Some(reply("x/y", forger.published(what, now).unwrap())),
            None => {
                let other = forger.timestamping().certificate();
                Some(reply("x/y", forger.ocsp_response(other, &OcspOptions::at(now)).unwrap()))
            }
        },
    });
    let extended = world.extend(&signed, &world.options()).await.unwrap();
    assert_eq!(extended.level, Some(Level::BT), "{}", told(&extended));
    assert_eq!((count(&extended, AddedKind::Ocsp), count(&extended, AddedKind::Crl)), (0, 0));
}

#[tokio::test]
async fn a_revocation_that_is_fetched_refuses_the_document() {
    let world = World::new(8);
    let kari = world.person();
    let (plain, stamped) = (world.signed(&kari, false), world.signed(&kari, true));
    world.pass(DAY);
    world.pki().revoke(kari.certificate(), world.now(), RevocationReason::KeyCompromise);
    world.pass(DAY);
    let error = world.extend(&plain, &world.options()).await.unwrap_err();
    assert_eq!(error.code(), Code::CertificateRevoked, "{error}");
    // Signed provably earlier, it holds.
    let extended = world.extend(&stamped, &world.options()).await.unwrap();
    assert_eq!(extended.level, Some(Level::BLTA), "{}", told(&extended));
}

#[tokio::test]
async fn what_cannot_be_extended_is_refused_before_anybody_is_asked() {
    let world = World::new(9);
    let signed = world.signed(&world.person(), true);
    let mut changed = signed.clone();
    let at = changed.windows(5).position(|window| window == b"/Type").unwrap();
    changed[at + 1] ^= 1;
    let mut appended = signed.clone();
    appended.extend_from_slice(b"\n9 0 obj\n<<>>\nendobj\n");
    let refused: [(&[u8], &[Code]); 5] = [
        (&fixtures::simple(), &[Code::SignatureMissing]),
        (&changed, &[Code::IntegrityFailed, Code::PdfMalformed]),
        (b"<SDOList/>", &[Code::ContentKind]),
        (b"no pdf", &[Code::NotAPdf]),
        (b"", &[Code::DocumentEmpty]),
    ];
    for (pdf, codes) in refused {
        let error = world.extend(pdf, &world.options()).await.unwrap_err();
        assert!(codes.contains(&error.code()), "{error}");
        assert_eq!(error.details()["field"], "document");
    }
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there.pdf");
    std::fs::write(&there, b"there").unwrap();
    let options = ExtendOptions { to: Some(there.clone()), ..world.options() };
    let error = world.extend(&signed, &options).await.unwrap_err();
    assert_eq!(error.code(), Code::DestinationExists);
    let options = ExtendOptions { level: Level::BT, ..world.options() };
    assert_eq!(world.extend(&signed, &options).await.unwrap_err().code(), Code::InvalidOption);
    let config = Config::builder().build_without_account().unwrap();
    let document = Document::from_bytes(signed.clone());
    let without = Client::new(config).unwrap().extend_pdf(&document, &world.options()).await;
    assert_eq!(without.unwrap_err().code(), Code::MissingOption);
    assert!(world.server.all_seen().is_empty());

    // The document itself may be replaced, whole.
    std::fs::write(&there, &signed).unwrap();
    let options = ExtendOptions { to: Some(there.clone()), overwrite: true, ..world.options() };
    let extended = world.client().extend_pdf(&Document::from_path(&there), &options).await.unwrap();
    let written = std::fs::read(&there).unwrap();
    assert!(written.starts_with(&signed) && written.len() as u64 == extended.size);
    assert_eq!(world.level_at(&written, world.now()), (true, Some(Level::BLTA)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn an_authority_of_timestamps_that_fails_leaves_nothing_behind() {
    let world = World::new(10);
    let signed = world.signed(&world.person(), true);
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("out.pdf");
    let asked = Mutex::new(0);
    world.instead(move |seen| {
        let mut asked = asked.lock().unwrap();
        *asked += usize::from(seen.target == "/tsa");
        // The one over the document.
        (seen.target == "/tsa" && *asked > 1).then(|| Reply::text(400, "no"))
    });
    let options = ExtendOptions { to: Some(to.clone()), ..world.options() };
    let error = world.extend(&signed, &options).await.unwrap_err();
    assert!(!to.exists() && std::fs::read_dir(folder.path()).unwrap().count() == 0, "{error}");
}

#[tokio::test]
async fn several_signers_are_extended_together() {
    let world = World::new(11);
    let kari = world.person();
    let first = world.signed(&kari, true);
    let second = world.signed_over(&first, &world.person(), false);
    let extended = world.extend(&second, &world.options()).await.unwrap();
    assert_eq!(extended.signatures.len(), 2);
    assert_eq!(extended.level, Some(Level::BLTA), "{}", told(&extended));
    let json = extended.to_json();
    assert_eq!(json["signatures"][1]["level"], "B-LTA");
    assert_eq!((&json["reached"], &json["report"]["ok"]), (&true.into(), &true.into()));
    let mut all = Vec::new();
    let source: SharedSource = Arc::new(extended.data.clone().unwrap());
    copy_range(source.as_ref(), 0, source.len(), &mut all).unwrap();
    assert!(all.starts_with(&second));
}
