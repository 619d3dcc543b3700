//! Attributes of a signer (RFC 5652, 5.3).

use crate::asn1::{Element, Malformed, OCTET_STRING, Oid, Reader, SET, Time, oids, writer};

const WHAT: &str = "cms attributes";
/// Attributes of one kind beyond this number are not read.
const MAX_ATTRIBUTES: usize = 256;

/// One attribute with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its identifier.
    pub oid: Oid,
    /// Each value as a whole DER element.
    pub values: Vec<Vec<u8>>,
}

/// The signed or the unsigned attributes of a signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// The attributes one after the other, as they stand in the file.
    content: Vec<u8>,
    /// Length of each attribute in `content`.
    lengths: Vec<usize>,
    list: Vec<Attribute>,
}

impl Attributes {
    /// Reads the content of the `[0]` or `[1]` member of a SignerInfo.
    pub(crate) fn read(element: &Element<'_>) -> Result<Self, Malformed> {
        let mut list = Vec::new();
        let mut lengths = Vec::new();
        let mut reader = element.reader();
        while !reader.is_empty() {
            if list.len() == MAX_ATTRIBUTES {
                return Err(Malformed::new(WHAT, format!("are more than {MAX_ATTRIBUTES}")));
            }
            let whole = reader.expect(crate::asn1::SEQUENCE, WHAT)?;
            lengths.push(whole.raw.len());
            let mut inner = whole.reader();
            let oid = inner.oid(WHAT)?;
            let mut set = inner.set(WHAT)?;
            inner.finish(WHAT)?;
            let mut values = Vec::new();
            while !set.is_empty() {
                values.push(set.any(WHAT)?.raw.to_vec());
            }
            list.push(Attribute { oid, values });
        }
        Ok(Self { content: element.content.to_vec(), lengths, list })
    }

    /// Every attribute, in order.
    #[must_use]
    pub fn all(&self) -> &[Attribute] {
        &self.list
    }

    /// Every value of every attribute with this identifier.
    pub fn values(&self, oid: Oid) -> impl Iterator<Item = &[u8]> {
        let of_kind = self.list.iter().filter(move |attribute| attribute.oid == oid);
        of_kind.flat_map(|attribute| attribute.values.iter().map(Vec::as_slice))
    }

    /// The value of an attribute that may stand once with one value (RFC 5652, 11).
    ///
    /// # Errors
    /// When it stands more often or has other than one value.
    pub fn single(&self, oid: Oid) -> Result<Option<&[u8]>, Malformed> {
        let mut of_kind = self.list.iter().filter(|attribute| attribute.oid == oid);
        let Some(first) = of_kind.next() else { return Ok(None) };
        match (first.values.as_slice(), of_kind.next()) {
            ([value], None) => Ok(Some(value)),
            _ => {
                Err(Malformed::new(WHAT, format!("attribute {oid} must stand once with one value")))
            }
        }
    }

    /// message-digest.
    ///
    /// # Errors
    /// When it is repeated or no octet string.
    pub fn message_digest(&self) -> Result<Option<&[u8]>, Malformed> {
        let what = "message-digest attribute";
        let Some(value) = self.single(oids::MESSAGE_DIGEST)? else { return Ok(None) };
        let mut reader = Reader::new(value);
        let digest = reader.expect(OCTET_STRING, what)?.content;
        reader.finish(what)?;
        Ok(Some(digest))
    }

    /// content-type.
    ///
    /// # Errors
    /// When it is repeated or no identifier.
    pub fn content_type(&self) -> Result<Option<Oid>, Malformed> {
        let what = "content-type attribute";
        let Some(value) = self.single(oids::CONTENT_TYPE)? else { return Ok(None) };
        let mut reader = Reader::new(value);
        let oid = reader.oid(what)?;
        reader.finish(what)?;
        Ok(Some(oid))
    }

    /// signing-time: what the signer claims, proven by nothing.
    ///
    /// # Errors
    /// When it is repeated or no time.
    pub fn signing_time(&self) -> Result<Option<Time>, Malformed> {
        let what = "signing-time attribute";
        let Some(value) = self.single(oids::SIGNING_TIME)? else { return Ok(None) };
        let mut reader = Reader::new(value);
        let time = reader.time(what)?;
        reader.finish(what)?;
        Ok(Some(time))
    }

    /// The SET OF over which the signature is made, members in the order of the file.
    #[must_use]
    pub fn to_signed_bytes(&self) -> Vec<u8> {
        writer::tlv(SET, &self.content)
    }

    /// The same with its members sorted, as DER asks; nothing when they are sorted already.
    #[must_use]
    pub fn to_sorted_bytes(&self) -> Option<Vec<u8>> {
        let mut rest = self.content.as_slice();
        let mut members = Vec::with_capacity(self.lengths.len());
        for length in &self.lengths {
            let (member, tail) = rest.split_at_checked(*length)?;
            members.push(member);
            rest = tail;
        }
        if members.is_sorted() {
            return None;
        }
        Some(writer::set_of(members))
    }
}
