//! Name constraints (RFC 5280, 4.2.1.10): which names an authority may certify.

use super::budget::Budget;
use super::certificate::Certificate;
use super::chain::{ChainFault, Fault};
use super::general_name::GeneralName;
use crate::asn1::{Malformed, Reader, context, context_primitive, oids};

const WHAT: &str = "name constraints";
/// Bytes of a name that are compared in one step.
const STEP: usize = 64;

/// The constraints of one authority.
#[derive(Debug)]
struct NameConstraints {
    /// Whose they are.
    who: String,
    permitted: Vec<GeneralName>,
    excluded: Vec<GeneralName>,
}

/// Checks the names of `path` (the first certificate below the anchor first) against the
/// constraints of all certificates above each. An anchor's own constraints hold as well.
pub(super) fn check(
    anchor: Option<&Certificate>,
    path: &[&Certificate],
    budget: &mut Budget,
) -> Result<(), Fault> {
    let mut all = Vec::new();
    if let Some(anchor) = anchor {
        all.extend(NameConstraints::of(anchor)?);
    }
    for (index, certificate) in path.iter().enumerate() {
        let is_last = index + 1 == path.len();
        // Authorities that certify a new key of their own are exempt (RFC 5280, 6.1.3 b).
        if !all.is_empty() && (is_last || !certificate.is_self_issued()) {
            check_one(certificate, &all, budget)?;
        }
        all.extend(NameConstraints::of(certificate)?);
    }
    Ok(())
}

fn check_one(
    certificate: &Certificate,
    all: &[NameConstraints],
    budget: &mut Budget,
) -> Result<(), Fault> {
    let who = certificate.subject().shown();
    let names = names_of(certificate)
        .map_err(|error| (ChainFault::Extension, format!("{who}: {error}")))?;
    for constraints in all {
        for name in &names {
            let subtrees = constraints.permitted.len() + constraints.excluded.len();
            budget.spend(subtrees * (1 + name.len() / STEP), "names")?;
            let why = match constraints.judge(name) {
                Judgement::Allowed => continue,
                Judgement::Forbidden(why) => (ChainFault::Name, why),
                Judgement::Open(why) => (ChainFault::Unsupported, why),
            };
            // Not the name itself: it may be a person's address.
            return Err((why.0, format!("{who}: {} {}", constraints.who, why.1)));
        }
    }
    Ok(())
}

/// Subject and alternative names; an address in the subject counts where there is no other.
fn names_of(certificate: &Certificate) -> Result<Vec<GeneralName>, Malformed> {
    let mut names = Vec::new();
    if let Some(extension) = certificate.extensions().get(oids::SUBJECT_ALT_NAME) {
        let mut outer = Reader::new(&extension.value);
        names = GeneralName::read_all(outer.sequence("subject alternative name")?)?;
        outer.finish("subject alternative name")?;
    }
    let subject = certificate.subject();
    if !names.iter().any(|name| matches!(name, GeneralName::Mail(_))) {
        let addresses = subject.attributes().filter(|(oid, _)| *oid == oids::EMAIL);
        names.extend(addresses.map(|(_, text)| GeneralName::Mail(text.to_owned())));
    }
    if !subject.is_empty() {
        names.push(GeneralName::Directory(subject.clone()));
    }
    Ok(names)
}

enum Judgement {
    Allowed,
    Forbidden(&'static str),
    /// The constraint, or the name, is of a form that is not applied here.
    Open(&'static str),
}

/// What one subtree says about one name.
#[derive(PartialEq, Eq)]
enum Within {
    Yes,
    No,
    /// The subtree is about names of another form.
    OtherForm,
    Unknown,
}

impl NameConstraints {
    fn of(certificate: &Certificate) -> Result<Option<Self>, Fault> {
        let Some(extension) = certificate.extensions().get(oids::NAME_CONSTRAINTS) else {
            return Ok(None);
        };
        let who = certificate.subject().shown();
        let fault = |fault: ReadFault| match fault {
            ReadFault::Malformed(error) => (ChainFault::Extension, format!("{who}: {error}")),
            ReadFault::Unsupported(why) => (ChainFault::Unsupported, format!("{who}: {why}")),
        };
        let (permitted, excluded) = read(&extension.value).map_err(fault)?;
        Ok(Some(Self { who, permitted, excluded }))
    }

    fn judge(&self, name: &GeneralName) -> Judgement {
        const OPEN: &str = "constrains names in a form that is not supported";
        for subtree in &self.excluded {
            match within(name, subtree, true) {
                Within::Yes => return Judgement::Forbidden("excludes one of its names"),
                Within::Unknown => return Judgement::Open(OPEN),
                Within::No | Within::OtherForm => {}
            }
        }
        let mut constrained = false;
        let mut open = false;
        for subtree in &self.permitted {
            match within(name, subtree, false) {
                Within::Yes => return Judgement::Allowed,
                Within::Unknown => open = true,
                Within::No => constrained = true,
                Within::OtherForm => {}
            }
        }
        match (constrained, open) {
            (_, true) => Judgement::Open(OPEN),
            (true, false) => Judgement::Forbidden("does not permit one of its names"),
            (false, false) => Judgement::Allowed,
        }
    }
}

enum ReadFault {
    Malformed(Malformed),
    Unsupported(&'static str),
}

impl From<Malformed> for ReadFault {
    fn from(error: Malformed) -> Self {
        Self::Malformed(error)
    }
}

fn read(value: &[u8]) -> Result<(Vec<GeneralName>, Vec<GeneralName>), ReadFault> {
    let mut outer = Reader::new(value);
    let mut reader = outer.sequence(WHAT)?;
    outer.finish(WHAT)?;
    let mut trees = |n: u8| -> Result<Vec<GeneralName>, ReadFault> {
        let Some(list) = reader.optional(context(n), WHAT)? else { return Ok(Vec::new()) };
        let (mut list, mut bases) = (list.reader(), Vec::new());
        while !list.is_empty() {
            let mut subtree = list.sequence(WHAT)?;
            bases.push(GeneralName::read(&mut subtree)?);
            // The profile has no other bounds than a minimum of 0, which some write out although it
            // is the default (RFC 5280, 4.2.1.10).
            let minimum = subtree.optional(context_primitive(0), WHAT)?;
            if minimum.is_some_and(|minimum| minimum.content != [0]) || !subtree.is_empty() {
                return Err(ReadFault::Unsupported("its name constraints have bounds"));
            }
        }
        Ok(bases)
    };
    let (permitted, excluded) = (trees(0)?, trees(1)?);
    reader.finish(WHAT)?;
    if permitted.is_empty() && excluded.is_empty() {
        return Err(Malformed::new(WHAT, "are empty").into());
    }
    Ok((permitted, excluded))
}

/// Whether `name` lies in the subtree below `base`. `exclude` counts names that may stand for one
/// inside, such as `*.example.com`.
fn within(name: &GeneralName, base: &GeneralName, exclude: bool) -> Within {
    let told = match (name, base) {
        (GeneralName::Directory(name), GeneralName::Directory(base)) => {
            Some(name.starts_with(base))
        }
        (GeneralName::Mail(name), GeneralName::Mail(base)) => mail_within(name, base),
        (GeneralName::Dns(name), GeneralName::Dns(base)) => dns_within(name, base, exclude),
        (GeneralName::Uri(name), GeneralName::Uri(base)) => uri_within(name, base),
        (GeneralName::Ip(name), GeneralName::Ip(base)) => ip_within(name, base),
        // A form, or a text, that is not looked at.
        (name, base) if name.tag() == base.tag() => None,
        _ => return Within::OtherForm,
    };
    match told {
        Some(true) => Within::Yes,
        Some(false) => Within::No,
        None => Within::Unknown,
    }
}

/// A host name that can be compared: letters, digits, hyphens and underscores between dots.
fn is_host(text: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    text.split('.').all(label)
}

/// `a.example.com` lies below `example.com`; a name does not lie below itself.
fn is_subdomain(host: &str, domain: &str) -> bool {
    let Some(split) = host.len().checked_sub(domain.len()) else { return false };
    match (host.get(..split), host.get(split..)) {
        (Some(front), Some(tail)) => front.ends_with('.') && tail.eq_ignore_ascii_case(domain),
        _ => false,
    }
}

/// A base of mail and URI: a host, or with a dot before it everything below.
fn host_within(host: &str, base: &str) -> Option<bool> {
    match base.strip_prefix('.') {
        Some(domain) if is_host(domain) => Some(is_subdomain(host, domain)),
        None if is_host(base) => Some(host.eq_ignore_ascii_case(base)),
        _ => None,
    }
}

fn mail_within(name: &str, base: &str) -> Option<bool> {
    let (local, host) = name.rsplit_once('@')?;
    if local.is_empty() || !is_host(host) {
        return None;
    }
    match base.rsplit_once('@') {
        Some((wanted, domain)) => Some(local == wanted && host.eq_ignore_ascii_case(domain)),
        None => host_within(host, base),
    }
}

fn dns_within(name: &str, base: &str, exclude: bool) -> Option<bool> {
    let (host, is_wildcard) = match name.strip_prefix("*.") {
        Some(host) => (host, true),
        None => (name, false),
    };
    if !is_host(host) || !(base.is_empty() || is_host(base)) {
        return None;
    }
    let same_or_below =
        |host: &str, base: &str| host.eq_ignore_ascii_case(base) || is_subdomain(host, base);
    let stands_for_one_inside = exclude && is_wildcard && is_subdomain(base, host);
    Some(base.is_empty() || same_or_below(host, base) || stands_for_one_inside)
}

/// The host of a URI with an authority; a URI without one, or with an address, is not comparable.
fn uri_within(name: &str, base: &str) -> Option<bool> {
    let (_, rest) = name.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let is_address = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !is_host(host) || is_address {
        return None;
    }
    host_within(host, base)
}

fn ip_within(name: &[u8], base: &[u8]) -> Option<bool> {
    if !matches!(name.len(), 4 | 16) || !matches!(base.len(), 8 | 32) {
        return None;
    }
    let (address, mask) = base.split_at(base.len() / 2);
    // A mask is ones, then zeros (RFC 4632).
    let bits = mask.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    if !bits.is_sorted_by(|a, b| a >= b) {
        return None;
    }
    if address.len() != name.len() {
        return Some(false);
    }
    let same = |((a, b), mask): ((&u8, &u8), &u8)| a & mask == b & mask;
    Some(name.iter().zip(address).zip(mask).all(same))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_addresses() {
        for (name, base, expected) in [
            ("a.example.com", "example.com", Some(true)),
            ("example.com", "example.com", Some(true)),
            ("Example.COM", "example.com", Some(true)),
            ("badexample.com", "example.com", Some(false)),
            ("example.com", "a.example.com", Some(false)),
            ("*.example.com", "example.com", Some(true)),
            ("example.com", "", Some(true)),
            ("example.com", ".example.com", None),
            ("exam ple.com", "example.com", None),
            ("a..example.com", "example.com", None),
        ] {
            assert_eq!(dns_within(name, base, false), expected, "{name} {base}");
        }
        // Permitting one host permits no wildcard; excluding it excludes the wildcard.
        assert_eq!(dns_within("*.example.com", "a.example.com", false), Some(false));
        assert_eq!(dns_within("*.example.com", "a.example.com", true), Some(true));
        for (name, base, expected) in [
            ("me@example.com", "example.com", Some(true)),
            ("me@a.example.com", "example.com", Some(false)),
            ("me@a.example.com", ".example.com", Some(true)),
            ("me@example.com", ".example.com", Some(false)),
            ("me@Example.com", "me@example.com", Some(true)),
            ("Me@example.com", "me@example.com", Some(false)),
            ("\"a@b\"@example.com", "example.com", Some(true)),
            ("example.com", "example.com", None),
            ("me@", "example.com", None),
        ] {
            assert_eq!(mail_within(name, base), expected, "{name} {base}");
        }
        for (name, base, expected) in [
            ("http://example.com/a@b.invalid", "example.com", Some(true)),
            ("http://user@example.com:8080?x", "example.com", Some(true)),
            ("http://a.example.com#@x", ".example.com", Some(true)),
            ("http://example.com", ".example.com", Some(false)),
            ("http://192.0.2.1/", ".example.com", None),
            ("http://[2001:db8::1]/", ".example.com", None),
            ("urn:example", "example.com", None),
        ] {
            assert_eq!(uri_within(name, base), expected, "{name} {base}");
        }
    }

    #[test]
    fn addresses_and_masks() {
        let net = [192, 0, 2, 0, 255, 255, 255, 0];
        assert_eq!(ip_within(&[192, 0, 2, 77], &net), Some(true));
        assert_eq!(ip_within(&[192, 0, 3, 77], &net), Some(false));
        assert_eq!(ip_within(&[0; 16], &net), Some(false));
        assert_eq!(ip_within(&[192, 0, 2, 77, 0], &net), None);
        assert_eq!(ip_within(&[192, 0, 2, 77], &[192, 0, 2, 0, 255, 0, 255, 0]), None);
        assert_eq!(ip_within(&[192, 0, 2, 77], &net[..7]), None);
    }
}
