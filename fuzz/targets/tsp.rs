//! Timestamps: no panic, and no change of a token moves its time or its imprint.

use signdoc_signature::tsp::{
    TimestampRequest, TimestampToken, TimestampTrust, parse_response, wrap_token,
};

use super::cms::CONTENT;
use super::kit::{HASH, kit, now};

pub fn seeds() -> Vec<Vec<u8>> {
    let imprint = HASH.digest(CONTENT);
    let request = TimestampRequest::new(HASH, imprint.clone(), Some(0x1122_3344_5566));
    let token = kit().pki.timestamp(&imprint, HASH, now(), Some(&[7; 8])).unwrap();
    let request = request.to_der().unwrap();
    let response = kit().pki.timestamp_response(&request, now()).unwrap();
    vec![wrap_token(&token), token, request, response]
}

pub fn run(data: &[u8]) -> bool {
    if let Ok(request) = TimestampRequest::parse(data)
        && let Ok(der) = request.to_der()
    {
        assert!(TimestampRequest::parse(&der).is_ok(), "our own request is unreadable");
    }
    let inner = parse_response(data).unwrap_or(data);
    let Ok(token) = TimestampToken::parse_padded(inner) else { return false };
    let _ = (token.policy(), token.serial(), token.nonce(), token.hash());
    let anchors = kit().pki.anchors();
    let trust = TimestampTrust { anchors: &anchors, pool: &[], at: None };
    let found = token.verify(&mut |hash| Some(hash.digest(CONTENT)), &trust);
    let _ = found.describe_problems();
    if found.is_trusted() {
        assert_eq!(found.time, now(), "another time is trusted");
        assert_eq!(token.imprint(), HASH.digest(CONTENT));
    }
    found.is_trusted()
}
