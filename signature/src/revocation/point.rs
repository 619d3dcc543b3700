//! What a revocation list is about (issuingDistributionPoint, RFC 5280, 5.2.5), and where a
//! certificate says that it may be listed (cRLDistributionPoints, 4.2.1.13).

use std::ops::{BitAnd, BitOrAssign};

use crate::asn1::{Malformed, Reader, context, context_primitive, oids};
use crate::x509::{Certificate, GeneralName, Name};

/// Points of a certificate, and names of one point: each is held against each.
const MAX_NAMES: usize = 64;

/// Reasons for a revocation (ReasonFlags), without the unused bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reasons(u16);

impl Reasons {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(0b1_1111_1110);

    fn read(content: &[u8], what: &'static str) -> Result<Self, Malformed> {
        match content {
            [0..=7, bits @ ..] if bits.len() <= 2 => {
                let all = bits.iter().enumerate().fold(0_u16, |all, (index, byte)| {
                    all | u16::from(byte.reverse_bits()) << (8 * index)
                });
                Ok(Self(all) & Self::ALL)
            }
            _ => Err(Malformed::new(what, "has reasons that are no bit string of up to 9 bits")),
        }
    }
}

impl BitAnd for Reasons {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOrAssign for Reasons {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The scope of a list.
#[derive(Default)]
pub(super) struct Scope {
    names: Option<Vec<GeneralName>>,
    only_users: bool,
    only_authorities: bool,
    only_attributes: bool,
    /// Entries may be about certificates of other issuers.
    is_indirect: bool,
    reasons: Option<Reasons>,
}

impl Scope {
    /// Reads an issuingDistributionPoint of a list by `issuer`.
    pub(super) fn read(value: &[u8], issuer: &Name) -> Result<Self, Malformed> {
        let what = "issuing distribution point";
        let mut outer = Reader::new(value);
        let mut reader = outer.sequence(what)?;
        outer.finish(what)?;
        let mut scope = Self::default();
        if let Some(name) = reader.optional(context(0), what)? {
            scope.names = Some(point_names(name.reader(), issuer)?);
        }
        let flag = |reader: &mut Reader<'_>, n: u8| -> Result<bool, Malformed> {
            let flag = reader.optional(context_primitive(n), what)?;
            Ok(flag.is_some_and(|flag| flag.content != [0]))
        };
        scope.only_users = flag(&mut reader, 1)?;
        scope.only_authorities = flag(&mut reader, 2)?;
        if let Some(reasons) = reader.optional(context_primitive(3), what)? {
            scope.reasons = Some(Reasons::read(reasons.content, what)?);
        }
        scope.is_indirect = flag(&mut reader, 4)?;
        scope.only_attributes = flag(&mut reader, 5)?;
        reader.finish(what)?;
        Ok(scope)
    }

    /// The reasons for which a list by `issuer` speaks about this certificate (RFC 5280, 6.3.3 b
    /// and d).
    pub(super) fn covers(
        &self,
        issuer: &Name,
        certificate: &Certificate,
    ) -> Result<Reasons, Malformed> {
        let mut covered = Reasons::NONE;
        let is_authority = certificate.extensions().is_ca();
        if self.only_attributes
            || (self.only_users && is_authority)
            || (self.only_authorities && !is_authority)
        {
            return Ok(covered);
        }
        let mut points = read_points(certificate)?;
        // Without being named, every list of the issuer may speak (RFC 5280, 6.3.3).
        points.push(Point {
            names: Some(vec![GeneralName::Directory(certificate.issuer().clone())]),
            ..Point::default()
        });
        let own = self.reasons.unwrap_or(Reasons::ALL);
        for point in points {
            let is_issuer = match point.issuers.is_empty() {
                true => issuer.matches(certificate.issuer()),
                false => self.is_indirect && point.names_issuer(issuer),
            };
            if is_issuer && self.is_at(&point) {
                covered |= own & point.reasons.unwrap_or(Reasons::ALL);
            }
        }
        Ok(covered)
    }

    fn is_at(&self, point: &Point) -> bool {
        let Some(own) = &self.names else { return true };
        match &point.names {
            Some(names) => own.iter().any(|own| names.iter().any(|name| own.matches(name))),
            None => own.iter().any(|own| match own {
                GeneralName::Directory(own) => point.names_issuer(own),
                _ => false,
            }),
        }
    }
}

/// One DistributionPoint.
#[derive(Default)]
struct Point {
    names: Option<Vec<GeneralName>>,
    reasons: Option<Reasons>,
    /// cRLIssuer; empty when it is the certificate's issuer.
    issuers: Vec<Name>,
}

impl Point {
    fn names_issuer(&self, issuer: &Name) -> bool {
        self.issuers.iter().any(|named| named.matches(issuer))
    }
}

/// Whether a certificate says that lists by `issuer` may speak about it (cRLIssuer).
pub(super) fn delegates_to(certificate: &Certificate, issuer: &Name) -> bool {
    let points = read_points(certificate).unwrap_or_default();
    points.iter().any(|point| point.names_issuer(issuer))
}

fn read_points(certificate: &Certificate) -> Result<Vec<Point>, Malformed> {
    let what = "crl distribution points";
    let Some(extension) = certificate.extensions().get(oids::CRL_DISTRIBUTION_POINTS) else {
        return Ok(Vec::new());
    };
    let mut outer = Reader::new(&extension.value);
    let mut list = outer.sequence(what)?;
    outer.finish(what)?;
    let mut points = Vec::new();
    while !list.is_empty() {
        limit(points.len(), what)?;
        points.push(read_point(list.sequence(what)?, certificate, what)?);
    }
    Ok(points)
}

fn read_point(
    mut reader: Reader<'_>,
    certificate: &Certificate,
    what: &'static str,
) -> Result<Point, Malformed> {
    let name = reader.optional(context(0), what)?;
    let mut point = Point::default();
    if let Some(reasons) = reader.optional(context_primitive(1), what)? {
        point.reasons = Some(Reasons::read(reasons.content, what)?);
    }
    if let Some(issuers) = reader.optional(context(2), what)? {
        for name in read_names(issuers.reader(), what)? {
            match name {
                GeneralName::Directory(name) => point.issuers.push(name),
                _ => return Err(Malformed::new(what, "name an issuer by no distinguished name")),
            }
        }
        if point.issuers.is_empty() {
            return Err(Malformed::new(what, "name no issuer"));
        }
    }
    reader.finish(what)?;
    let base = point.issuers.first().unwrap_or_else(|| certificate.issuer());
    point.names = name.map(|name| point_names(name.reader(), base)).transpose()?;
    Ok(point)
}

/// The names of a DistributionPointName; a relative one lies below `base`.
fn point_names(mut reader: Reader<'_>, base: &Name) -> Result<Vec<GeneralName>, Malformed> {
    let what = "distribution point name";
    let choice = reader.any(what)?;
    reader.finish(what)?;
    match choice.tag {
        tag if tag == context(0) => read_names(choice.reader(), what),
        tag if tag == context(1) => Ok(vec![GeneralName::Directory(base.below(choice.content)?)]),
        tag => Err(Malformed::new(what, format!("has the unknown form {tag:#04x}"))),
    }
}

fn read_names(mut reader: Reader<'_>, what: &'static str) -> Result<Vec<GeneralName>, Malformed> {
    let mut names = Vec::new();
    while !reader.is_empty() {
        limit(names.len(), what)?;
        names.push(GeneralName::read(&mut reader)?);
    }
    Ok(names)
}

fn limit(count: usize, what: &'static str) -> Result<(), Malformed> {
    match count < MAX_NAMES {
        true => Ok(()),
        false => Err(Malformed::new(what, format!("are more than {MAX_NAMES}"))),
    }
}
