//! Certificate extensions (RFC 5280, 4.2).

use crate::asn1::{
    BIT_STRING, BOOLEAN, INTEGER, Malformed, Oid, Reader, context, context_primitive, oids,
    small_unsigned,
};

/// One extension as it stands in the certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its identifier.
    pub oid: Oid,
    /// True when software that does not know it must refuse the certificate.
    pub critical: bool,
    /// The DER value.
    pub value: Vec<u8>,
}

/// What a key may be used for (RFC 5280, 4.2.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUsage(u16);

impl KeyUsage {
    /// Bit digitalSignature.
    #[must_use]
    pub fn digital_signature(self) -> bool {
        self.0 & 1 != 0
    }

    /// Bit nonRepudiation, now called contentCommitment.
    #[must_use]
    pub fn non_repudiation(self) -> bool {
        self.0 & 2 != 0
    }

    /// Bit keyCertSign.
    #[must_use]
    pub fn key_cert_sign(self) -> bool {
        self.0 & (1 << 5) != 0
    }

    /// Bit cRLSign.
    #[must_use]
    pub fn crl_sign(self) -> bool {
        self.0 & (1 << 6) != 0
    }
}

/// The extensions of one certificate, those that matter for chains already read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    all: Vec<Extension>,
    faults: Vec<String>,
    ca: Option<bool>,
    path_len: Option<u64>,
    key_usage: Option<KeyUsage>,
    extended_key_usage: Option<Vec<Oid>>,
    subject_key_id: Option<Vec<u8>>,
    authority_key_id: Option<Vec<u8>>,
    ocsp_urls: Vec<String>,
    ca_issuer_urls: Vec<String>,
    crl_urls: Vec<String>,
}

impl Extensions {
    /// Reads the content of the `[3]` member of a certificate.
    ///
    /// A broken or repeated extension does not fail here: it is listed in [`Extensions::faults`]
    /// and fails every chain through the certificate.
    ///
    /// # Errors
    /// When the list itself cannot be read.
    pub fn read(content: &[u8]) -> Result<Self, Malformed> {
        let mut read = Self::default();
        for extension in read_extensions(content)? {
            if read.get(extension.oid).is_some() {
                read.faults.push(format!("extension {} is repeated", extension.oid));
                continue;
            }
            if let Err(error) = read.interpret(&extension) {
                read.faults.push(error.to_string());
            }
            read.all.push(extension);
        }
        Ok(read)
    }

    fn interpret(&mut self, extension: &Extension) -> Result<(), Malformed> {
        let mut reader = Reader::new(&extension.value);
        match extension.oid {
            oids::BASIC_CONSTRAINTS => {
                let what = "basic constraints";
                let mut inner = reader.sequence(what)?;
                self.ca = Some(inner.peek() == Some(BOOLEAN) && inner.boolean(what)?);
                if let Some(length) = inner.optional(INTEGER, what)? {
                    self.path_len = Some(small_unsigned(length.content, what)?);
                }
                inner.finish(what)?;
            }
            oids::KEY_USAGE => self.key_usage = Some(read_key_usage(&mut reader)?),
            oids::EXTENDED_KEY_USAGE => {
                let what = "extended key usage";
                let mut inner = reader.sequence(what)?;
                let mut purposes = Vec::new();
                while !inner.is_empty() {
                    purposes.push(inner.oid(what)?);
                }
                self.extended_key_usage = Some(purposes);
            }
            oids::SUBJECT_KEY_ID => {
                self.subject_key_id = Some(reader.octets("subject key identifier")?.to_vec());
            }
            oids::AUTHORITY_KEY_ID => {
                let what = "authority key identifier";
                let id = reader.sequence(what)?.optional(context_primitive(0), what)?;
                self.authority_key_id = id.map(|id| id.content.to_vec());
            }
            oids::AUTHORITY_INFO_ACCESS => self.read_access(&mut reader)?,
            oids::CRL_DISTRIBUTION_POINTS => self.crl_urls = distribution_points(&mut reader)?,
            _ => return Ok(()),
        }
        reader.finish("extension")
    }

    fn read_access(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        let what = "authority information access";
        let mut list = reader.sequence(what)?;
        while !list.is_empty() {
            let mut pair = list.sequence(what)?;
            let method = pair.oid(what)?;
            let location = pair.any(what)?;
            let Some(url) = url(location.tag, location.content) else { continue };
            match method {
                oids::OCSP => self.ocsp_urls.push(url),
                oids::CA_ISSUERS => self.ca_issuer_urls.push(url),
                _ => {}
            }
        }
        Ok(())
    }

    /// Every extension, in order.
    #[must_use]
    pub fn all(&self) -> &[Extension] {
        &self.all
    }

    /// The extension with this identifier.
    #[must_use]
    pub fn get(&self, oid: Oid) -> Option<&Extension> {
        self.all.iter().find(|extension| extension.oid == oid)
    }

    /// What is broken or repeated among the extensions.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// True when basicConstraints says the subject is an authority.
    #[must_use]
    pub fn is_ca(&self) -> bool {
        self.ca == Some(true)
    }

    /// How many further authorities may follow below this one.
    #[must_use]
    pub fn path_len(&self) -> Option<u64> {
        self.path_len
    }

    /// keyUsage; nothing when absent, which allows every use.
    #[must_use]
    pub fn key_usage(&self) -> Option<KeyUsage> {
        self.key_usage
    }

    /// extKeyUsage; nothing when absent.
    #[must_use]
    pub fn extended_key_usage(&self) -> Option<&[Oid]> {
        self.extended_key_usage.as_deref()
    }

    /// subjectKeyIdentifier.
    #[must_use]
    pub fn subject_key_id(&self) -> Option<&[u8]> {
        self.subject_key_id.as_deref()
    }

    /// keyIdentifier of authorityKeyIdentifier.
    #[must_use]
    pub fn authority_key_id(&self) -> Option<&[u8]> {
        self.authority_key_id.as_deref()
    }

    /// Addresses of OCSP responders.
    #[must_use]
    pub fn ocsp_urls(&self) -> &[String] {
        &self.ocsp_urls
    }

    /// Addresses where the issuer's certificate lies.
    #[must_use]
    pub fn ca_issuer_urls(&self) -> &[String] {
        &self.ca_issuer_urls
    }

    /// Addresses of revocation lists.
    #[must_use]
    pub fn crl_urls(&self) -> &[String] {
        &self.crl_urls
    }

    /// A critical extension whose meaning this library does not apply.
    #[must_use]
    pub fn unknown_critical(&self) -> Option<Oid> {
        self.all.iter().find(|e| e.critical && !is_understood(e.oid)).map(|e| e.oid)
    }
}

/// Extensions that are applied, or that cannot restrict a chain.
fn is_understood(oid: Oid) -> bool {
    const ISSUER_ALT_NAME: Oid = Oid::new(&[2, 5, 29, 18]);
    matches!(
        oid,
        oids::BASIC_CONSTRAINTS
            | oids::KEY_USAGE
            | oids::EXTENDED_KEY_USAGE
            | oids::SUBJECT_KEY_ID
            | oids::AUTHORITY_KEY_ID
            | oids::SUBJECT_ALT_NAME
            | ISSUER_ALT_NAME
            | oids::CERTIFICATE_POLICIES
            | oids::POLICY_MAPPINGS
            | oids::POLICY_CONSTRAINTS
            | oids::INHIBIT_ANY_POLICY
            | oids::NAME_CONSTRAINTS
            | oids::CRL_DISTRIBUTION_POINTS
            | oids::AUTHORITY_INFO_ACCESS
            | oids::QC_STATEMENTS
            | oids::OCSP_NO_CHECK
    )
}

/// Reads `Extensions ::= SEQUENCE OF Extension`.
///
/// # Errors
/// When the list is broken.
pub(crate) fn read_extensions(content: &[u8]) -> Result<Vec<Extension>, Malformed> {
    let what = "extensions";
    let mut outer = Reader::new(content);
    let mut list = outer.sequence(what)?;
    outer.finish(what)?;
    let mut all = Vec::new();
    while !list.is_empty() {
        let mut inner = list.sequence(what)?;
        let oid = inner.oid(what)?;
        let critical = inner.peek() == Some(BOOLEAN) && inner.boolean(what)?;
        let value = inner.octets(what)?.to_vec();
        inner.finish(what)?;
        all.push(Extension { oid, critical, value });
    }
    Ok(all)
}

fn read_key_usage(reader: &mut Reader<'_>) -> Result<KeyUsage, Malformed> {
    let what = "key usage";
    let content = reader.expect(BIT_STRING, what)?.content;
    match content.split_first() {
        Some((0..=7, bits)) if bits.len() <= 2 => {
            let set = bits.iter().enumerate().fold(0_u16, |set, (index, byte)| {
                set | (u16::from(byte.reverse_bits()) << (8 * index))
            });
            Ok(KeyUsage(set))
        }
        _ => Err(Malformed::new(what, "is no bit string of up to 9 bits")),
    }
}

/// The http(s) and ldap addresses of fullName in a list of distribution points.
fn distribution_points(reader: &mut Reader<'_>) -> Result<Vec<String>, Malformed> {
    let what = "crl distribution points";
    let mut list = reader.sequence(what)?;
    let mut urls = Vec::new();
    while !list.is_empty() {
        let mut point = list.sequence(what)?;
        if let Some(name) = point.optional(context(0), what)? {
            urls.extend(point_name_urls(name.content)?);
        }
    }
    Ok(urls)
}

/// Addresses inside a DistributionPointName.
fn point_name_urls(content: &[u8]) -> Result<Vec<String>, Malformed> {
    let what = "distribution point name";
    let mut reader = Reader::new(content);
    let mut urls = Vec::new();
    if let Some(full) = reader.optional(context(0), what)? {
        let mut names = full.reader();
        while !names.is_empty() {
            let name = names.any(what)?;
            urls.extend(url(name.tag, name.content));
        }
    }
    Ok(urls)
}

/// The text of a GeneralName of kind uniformResourceIdentifier.
fn url(tag: u8, content: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(content).ok()?;
    (tag == context_primitive(6) && text.is_ascii()).then(|| text.to_owned())
}
