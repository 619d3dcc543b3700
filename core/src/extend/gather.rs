//! Gathering what later validation needs: look what the document lacks, get it, look again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use signdoc_signature::asn1::Time;
use signdoc_signature::cms::SignedData;
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::revocation::{
    BasicResponse, Crl, Question, Status, ocsp_request, unwrap_response, wrap_basic_response,
};
use signdoc_signature::sign::{Appended, DssContent, ValidationData, add_dss};
use signdoc_signature::tsp::TimestampToken;
use signdoc_signature::verify::{Link, Survey, VerifyOptions, survey};
use signdoc_signature::x509::{Certificate, TrustAnchors};

use super::fetch::{Fetcher, Wanted};
use super::given::Answer;
use super::model::{Added, AddedKind, ExtendNote};
use super::{blocking, of_pdf};
use crate::error::Result;

/// More rounds than a chain has members.
const ROUNDS: usize = 10;
/// What is added in all; more a verification would not read.
const MAX_BYTES: usize = 4 << 20;
/// Notes that are kept.
const MAX_NOTES: usize = 100;

pub(super) const GIVEN: &str = "given";
pub(super) const KNOWN: &str = "known";

/// What is gathered for one document.
pub(super) struct Gathering {
    pub(super) base: SharedSource,
    pub(super) verify: VerifyOptions,
    /// Nobody was named as trusted: chains may end where they lead.
    pub(super) assumes: bool,
    pub(super) assumed: Vec<String>,
    pub(super) given: Vec<Answer>,
    pub(super) fetcher: Option<Fetcher>,
    pub(super) data: ValidationData,
    pub(super) added: Vec<Added>,
    pub(super) notes: Vec<ExtendNote>,
    asked: HashSet<Vec<u8>>,
    /// Certificates about which somebody has answered just now.
    fresh: HashSet<Vec<u8>>,
    lists: HashMap<String, Option<Arc<Vec<u8>>>>,
}

impl Gathering {
    pub(super) fn new(base: SharedSource, verify: VerifyOptions) -> Self {
        let assumes = verify.trust.is_empty();
        Self {
            base,
            verify,
            assumes,
            assumed: Vec::new(),
            given: Vec::new(),
            fetcher: None,
            data: ValidationData::default(),
            added: Vec::new(),
            notes: Vec::new(),
            asked: HashSet::new(),
            fresh: HashSet::new(),
            lists: HashMap::new(),
        }
    }

    /// The document with what was gathered so far.
    pub(super) fn document(&self) -> Result<Appended> {
        if self.data == ValidationData::default() {
            return Ok(Appended::unchanged(self.base.clone()));
        }
        let content = DssContent { general: self.data.clone(), per_signature: Vec::new() };
        add_dss(self.base.clone(), &content).map_err(|error| of_pdf(&error))
    }

    /// Looks and gets until nothing more can be had.
    pub(super) async fn run(&mut self, expected: &[TimestampToken], now: Time) -> Result<Survey> {
        for _ in 0..ROUNDS {
            let found = self.look(expected).await?;
            let before = (self.added.len(), self.assumed.len());
            for absent in &found.absent {
                self.add_certificate(absent, KNOWN);
            }
            for end in &found.ends {
                self.go_on_from(end).await;
            }
            for link in &found.links {
                self.answer(link, now).await;
            }
            if before == (self.added.len(), self.assumed.len()) {
                return Ok(found);
            }
        }
        self.look(expected).await
    }

    async fn look(&self, expected: &[TimestampToken]) -> Result<Survey> {
        let document: SharedSource = Arc::new(self.document()?);
        let (options, expected) = (self.verify.clone(), expected.to_vec());
        blocking(move || survey(document, &options, &expected).map_err(|error| of_pdf(&error)))
            .await
    }

    /// A chain breaks off here: the issuer is fetched; where it cannot be had, and for a root, the
    /// chain ends here if nobody was named as trusted.
    async fn go_on_from(&mut self, end: &Certificate) {
        if !self.asked.insert(key(b"issuer", end)) {
            return;
        }
        if !end.is_self_issued() && self.fetch_issuer(end).await {
            return;
        }
        if self.assumes {
            self.assumed.push(end.subject().shown());
            self.verify.trust.push(end.clone());
            return;
        }
        let who = end.subject().shown();
        match end.is_self_issued() {
            true => self.note(
                &who,
                "a chain ends there, and it is not among the trusted certificates".into(),
                "name it with trust, or timestamp_trust for a timestamp authority, if you trust it",
            ),
            false => self.note(
                &who,
                "the certificate of its issuer is not at hand".into(),
                "give it with certificates",
            ),
        }
    }

    async fn fetch_issuer(&mut self, end: &Certificate) -> bool {
        let who = end.subject().shown();
        for address in end.extensions().ca_issuer_urls() {
            let Some(fetcher) = &mut self.fetcher else { return false };
            let told = match fetcher.fetch(address, Wanted::Certificates).await {
                Ok(body) => match issuer_in(&body, end) {
                    Some(issuer) => return self.add_certificate(&issuer, address),
                    None => "answered with what is not the issuer's certificate".to_owned(),
                },
                Err(why) => why,
            };
            self.note(&who, format!("{address} {told}"), "give its issuer with certificates");
        }
        false
    }

    /// Gets an answer about a certificate unless there is a good one.
    async fn answer(&mut self, link: &Link, now: Time) {
        // A revocation that is known needs no second answer.
        let is_open = !link.status.is_good() && !matches!(link.status, Status::Revoked { .. });
        let is_wanted = is_open || link.is_last;
        let is_fresh = self.fresh.contains(link.certificate.as_der());
        if !is_wanted || is_fresh || !self.asked.insert(asked_at(link)) {
            return;
        }
        let (certificate, issuer) = (&link.certificate, &link.issuer);
        let question = Question::new(certificate, issuer, link.at, now);
        let mut why = Vec::new();
        if self.answer_given(&question) {
            return;
        }
        for address in certificate.extensions().ocsp_urls() {
            match self.ask_responder(address, &question).await {
                Ok(()) => return self.is_fresh_now(certificate),
                Err(told) => why.push(format!("{address} {told}")),
            }
        }
        for address in certificate.extensions().crl_urls() {
            match self.ask_list(address, &question).await {
                Ok(()) => return self.is_fresh_now(certificate),
                Err(told) => why.push(format!("{address} {told}")),
            }
        }
        self.nothing_had(link, &why);
    }

    fn is_fresh_now(&mut self, certificate: &Certificate) {
        self.fresh.insert(certificate.as_der().to_vec());
    }

    fn nothing_had(&mut self, link: &Link, why: &[String]) {
        let Link { certificate, at, .. } = link;
        let mut message = match link.status.is_good() {
            true => format!("no newer answer was had ({})", link.status),
            false => format!("whether it was revoked is not known for {at}"),
        };
        if certificate.extensions().ocsp_urls().is_empty()
            && certificate.extensions().crl_urls().is_empty()
        {
            message.push_str(": it names no address to ask");
        } else if self.fetcher.is_none() {
            message.push_str(": nobody was asked");
        } else if !why.is_empty() {
            message = format!("{message}: {}", why.join("; "));
        }
        let advice = match why.iter().any(|why| why.contains("expired")) {
            true => {
                "it has expired, and who issued it may have forgotten it: give an answer from \
                 before with revocations; a timestamp in time avoids this"
            }
            false => "try again later, or give an answer with revocations",
        };
        let who = certificate.subject().shown();
        self.note(&who, message, advice);
    }

    fn answer_given(&mut self, question: &Question<'_>) -> bool {
        for given in self.given.clone() {
            let taken = match given {
                Answer::Ocsp(answer, der) => {
                    says(&answer.status_of(question))
                        && self.add_ocsp(&answer, &der, question, GIVEN).is_ok()
                }
                Answer::Crl(list, der) => {
                    says(&list.status_of(question))
                        && self.add_crl(&list, &der, question, GIVEN).is_ok()
                }
            };
            if taken {
                return true;
            }
        }
        false
    }

    async fn ask_responder(
        &mut self,
        address: &str,
        question: &Question<'_>,
    ) -> std::result::Result<(), String> {
        let fetcher = self.fetcher.as_mut().ok_or("was not asked")?;
        let request = ocsp_request(question.certificate, question.issuer);
        let der = fetcher.fetch(address, Wanted::Ocsp(&request)).await?;
        let answer = BasicResponse::parse(&der).map_err(|error| format!("answered: {error}"))?;
        match answer.status_of(question) {
            status if says(&status) => self.add_ocsp(&answer, &der, question, address),
            status => Err(format!("answered: {status}")),
        }
    }

    async fn ask_list(
        &mut self,
        address: &str,
        question: &Question<'_>,
    ) -> std::result::Result<(), String> {
        let der = match self.lists.get(address) {
            Some(known) => known.clone().ok_or("gave nothing before")?,
            None => {
                let fetcher = self.fetcher.as_mut().ok_or("was not asked")?;
                let fetched = fetcher.fetch(address, Wanted::Crl).await.map(Arc::new);
                self.lists.insert(address.to_owned(), fetched.clone().ok());
                fetched?
            }
        };
        let list = Crl::parse(&der).map_err(|error| format!("answered: {error}"))?;
        match list.status_of(question) {
            status if says(&status) => self.add_crl(&list, &der, question, address),
            status => Err(format!("answered: {status}")),
        }
    }

    fn add_certificate(&mut self, certificate: &Certificate, source: &str) -> bool {
        let der = certificate.as_der().to_vec();
        if self.data.certificates.contains(&der) {
            return true;
        }
        if self.make_room(der.len()).is_err() {
            return false;
        }
        let about = certificate.subject().shown();
        self.tell(AddedKind::Certificate, about, source, der.len(), None);
        self.data.certificates.push(der);
        true
    }

    fn add_ocsp(
        &mut self,
        answer: &BasicResponse,
        der: &[u8],
        question: &Question<'_>,
        source: &str,
    ) -> std::result::Result<(), String> {
        // The store wants the whole response (ETSI EN 319 142-1, 5.4.2.2).
        let whole = match unwrap_response(der) {
            Ok(basic) if basic.len() == der.len() => wrap_basic_response(basic),
            _ => der.to_vec(),
        };
        if self.data.ocsp_responses.contains(&whole) {
            return Ok(());
        }
        self.make_room(whole.len())?;
        let about = question.certificate.subject().shown();
        self.tell(AddedKind::Ocsp, about, source, whole.len(), Some(answer.produced_at()));
        self.data.ocsp_responses.push(whole);
        Ok(())
    }

    fn add_crl(
        &mut self,
        list: &Crl,
        der: &[u8],
        question: &Question<'_>,
        source: &str,
    ) -> std::result::Result<(), String> {
        if self.data.crls.iter().any(|known| known == der) {
            return Ok(());
        }
        self.make_room(der.len())?;
        let about = question.issuer.subject().shown();
        self.tell(AddedKind::Crl, about, source, der.len(), Some(list.this_update()));
        self.data.crls.push(der.to_vec());
        Ok(())
    }

    fn make_room(&self, len: usize) -> std::result::Result<(), String> {
        let held: usize = self.added.iter().map(|added| added.size).sum();
        match held + len <= MAX_BYTES {
            true => Ok(()),
            false => {
                Err(format!("answered, but validation data is limited to {MAX_BYTES} bytes in all"))
            }
        }
    }

    fn tell(
        &mut self,
        kind: AddedKind,
        about: String,
        source: &str,
        size: usize,
        time: Option<Time>,
    ) {
        let time = time.map(|time| time.to_string());
        self.added.push(Added { kind, about, source: source.to_owned(), size, time });
    }

    pub(super) fn note(&mut self, about: &str, message: String, advice: &str) {
        let note = ExtendNote { about: about.to_owned(), message, advice: advice.to_owned() };
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Whether an answer says something that a verification can use.
fn says(status: &Status) -> bool {
    matches!(status, Status::Good { .. } | Status::Revoked { .. })
}

fn key(what: &[u8], certificate: &Certificate) -> Vec<u8> {
    [what, certificate.as_der()].concat()
}

/// One question is asked once: about a certificate at a time.
fn asked_at(link: &Link) -> Vec<u8> {
    // A timestamp that is still to come has a new time in every round.
    let at = link.field.as_ref().map(|_| link.at.to_string()).unwrap_or_default();
    key(at.as_bytes(), &link.certificate)
}

/// The certificate that issued `child`, in DER, PEM or a CMS of certificates (RFC 5280, 4.2.2.1).
fn issuer_in(bytes: &[u8], child: &Certificate) -> Option<Certificate> {
    let mut all = match TrustAnchors::from_bytes(bytes) {
        Ok(found) => found.certificates().to_vec(),
        Err(_) => Vec::new(),
    };
    if all.is_empty() {
        all = SignedData::parse(bytes).ok()?.certificates().to_vec();
    }
    let has_issued = |issuer: &Certificate| {
        issuer.subject().matches(child.issuer())
            && issuer.public_key().is_ok_and(|key| child.verify_signature(key).is_ok())
    };
    all.into_iter().take(100).find(has_issued)
}
