//! Revocation answers and lists: no panic, and no change of one revokes or redeems a certificate.

use signdoc_signature::pki::OcspOptions;
use signdoc_signature::revocation::{
    BasicResponse, Crl, Question, Status, check, unwrap_response, wrap_basic_response,
};
use signdoc_signature::x509::Certificate;

use super::kit::{kit, now};

pub fn seeds() -> Vec<Vec<u8>> {
    let kit = kit();
    let plain = OcspOptions::at(now());
    let long = OcspOptions { nonce: Some([9; 16]), valid_for: None, by_authority: true, ..plain };
    let mut seeds = vec![kit.pki.crl(now()).unwrap(), kit.pki.root_crl(now()).unwrap()];
    for certificate in [kit.signer.certificate(), kit.revoked.certificate()] {
        seeds.push(kit.pki.ocsp(certificate, &plain).unwrap());
        seeds.push(kit.pki.ocsp(certificate, &long).unwrap());
        seeds.push(kit.pki.ocsp_response(certificate, &plain).unwrap());
    }
    seeds
}

pub fn run(data: &[u8]) -> bool {
    let inner = unwrap_response(data).unwrap_or(data);
    let ocsp: Vec<_> = BasicResponse::parse(inner).into_iter().collect();
    let crls: Vec<_> = Crl::parse(data).into_iter().collect();
    if let Some(response) = ocsp.first() {
        let _ = (response.produced_at(), response.responder(), response.nonce());
        let wrapped = wrap_basic_response(response.as_der());
        assert_eq!(unwrap_response(&wrapped).unwrap(), response.as_der());
    }
    if ocsp.is_empty() && crls.is_empty() {
        return false;
    }
    let kit = kit();
    let asked = |certificate: &Certificate| {
        let issuer = kit.pki.issuing().certificate();
        check(&Question::new(certificate, issuer, now(), now()), &ocsp, &crls).status
    };
    let good = asked(kit.signer.certificate());
    assert!(!matches!(good, Status::Revoked { .. }), "revoked by nobody: {good}");
    let revoked = asked(kit.revoked.certificate());
    assert!(!revoked.is_good(), "redeemed: {revoked}");
    good.is_good() || matches!(revoked, Status::Revoked { .. })
}
