//! NIST PKITS: path validation and revocation lists, over the public functions. Every test finds
//! its path among all certificates and lists of the suite, as in a directory.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at what it does not expect"
)]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use signdoc_signature::asn1::{Oid, Time};
use signdoc_signature::revocation::{ChainContext, Crl, Question, check};
use signdoc_signature::x509::{
    Certificate, Chain, ChainRequest, PolicyDemands, Purpose, TrustAnchors, pem_blocks,
};

/// Certificates that must chain, of all lines of `tests.txt`.
const TESTS: usize = 224;

fn suite(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/suites/pkits");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Lines that say something.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('|').map(str::trim).collect())
}

/// Names and bytes of a bundle in which each block stands below its name.
fn bundle(name: &str, label: &str) -> Vec<(String, Vec<u8>)> {
    let text = suite(name);
    let begin = format!("-----BEGIN {label}-----");
    let above = text.lines().zip(text.lines().skip(1)).filter(|(_, line)| *line == begin);
    let names: Vec<_> = above.map(|(name, _)| name.to_owned()).collect();
    let blocks = pem_blocks(text.as_bytes(), label).unwrap();
    assert_eq!(names.len(), blocks.len());
    names.into_iter().zip(blocks).collect()
}

struct Suite {
    certificates: HashMap<String, Result<Certificate, String>>,
    pool: Vec<Certificate>,
    lists: Vec<Crl>,
    anchors: TrustAnchors,
    now: Time,
}

impl Suite {
    fn read() -> Self {
        let read = |(_, der): &(String, Vec<u8>)| Certificate::from_der(der);
        let blocks = bundle("certs.pem", "CERTIFICATE");
        let pool = blocks.iter().filter_map(|block| read(block).ok()).collect();
        let by_name = |block: &(String, Vec<u8>)| {
            (block.0.clone(), read(block).map_err(|error| error.to_string()))
        };
        let certificates: HashMap<_, _> = blocks.iter().map(by_name).collect();
        let root = certificates["TrustAnchorRootCertificate"].clone().unwrap();
        let lists = bundle("crls.pem", "X509 CRL");
        Self {
            pool,
            lists: lists.iter().filter_map(|(_, der)| Crl::parse(der).ok()).collect(),
            anchors: TrustAnchors::new(vec![root]),
            certificates,
            // 2020-01-01: most of the suite is valid from 2010 to 2030.
            now: Time::from_unix(1_577_836_800),
        }
    }

    /// Whether the certificate is accepted, and why not.
    fn validate(&self, name: &str, settings: &str) -> Result<(), String> {
        let certificate = self.certificates[name].as_ref().map_err(Clone::clone)?;
        let (acceptable, has) = (acceptable(settings), |word| settings.contains(word));
        let demands = PolicyDemands {
            acceptable: acceptable.as_deref(),
            explicit: has("explicit"),
            inhibit_mapping: has("no-mapping"),
            inhibit_any: has("no-any"),
        };
        let request = ChainRequest {
            anchors: &self.anchors,
            pool: &self.pool,
            at: self.now,
            purpose: Purpose::Any,
        };
        let chain = Chain::build_for(certificate, &request, &demands)
            .map_err(|failure| failure.to_string())?;
        for (certificate, issuer) in chain.links() {
            let context = Some(ChainContext { chain: &chain, pool: &self.pool });
            let question = Question::new(certificate, issuer, self.now, self.now);
            let question = Question { context, ..question };
            let status = check(&question, &[], &self.lists).status;
            if !status.is_good() {
                return Err(format!("{}: {status}", certificate.subject().shown()));
            }
        }
        Ok(())
    }
}

#[test]
fn results_are_those_of_the_suite_but_for_the_listed_deviations() {
    let suite = Suite::read();
    let (tests, deviations) = (self::suite("tests.txt"), self::suite("deviations.txt"));
    let expected: BTreeMap<_, _> = lines(&deviations).map(|line| (line[0], line[1])).collect();
    let (mut agreed, mut all, mut numbers) = (0, 0, Vec::new());
    let mut found = BTreeMap::new();
    for line in lines(&tests) {
        let (number, name, valid) = (line[0], line[1], line[2] == "valid");
        let settings = line.get(3).copied().unwrap_or_default();
        let told = suite.validate(name, settings);
        all += 1;
        numbers.push(number);
        if told.is_ok() == valid {
            agreed += 1;
        } else {
            let told = told.err().unwrap_or_else(|| "accepted".to_owned());
            println!("{number} {name} {settings}: should be {}, was {told}", line[2]);
            *found.entry(number).or_insert(0) += 1;
        }
    }
    numbers.dedup();
    assert_eq!(numbers.len(), TESTS);
    println!("pkits: {agreed} of {all} runs as expected, of {TESTS} tests");
    let found: Vec<_> = found.into_keys().collect();
    let listed: Vec<_> = expected.into_keys().collect();
    assert_eq!(found, listed, "update tests/suites/pkits/deviations.txt");
}

/// The policies that a setting lists by their numbers.
fn acceptable(settings: &str) -> Option<Vec<Oid>> {
    let list = settings.split(' ').find_map(|word| word.strip_prefix("policies="))?;
    let policy =
        |number: &str| Oid::new(&[2, 16, 840, 1, 101, 3, 2, 1, 48, number.parse().unwrap()]);
    Some(list.split(',').map(policy).collect())
}
