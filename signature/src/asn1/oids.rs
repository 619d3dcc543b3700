//! Object identifiers used in signatures, each with the standard that gives it.

use super::Oid;

macro_rules! oids {
    ($($(#[$doc:meta])* $name:ident = [$($arc:literal),+];)+) => {
        $($(#[$doc])* pub const $name: Oid = Oid::new(&[$($arc),+]);)+
    };
}

oids! {
    /// id-data (RFC 5652).
    DATA = [1, 2, 840, 113549, 1, 7, 1];
    /// id-signedData (RFC 5652).
    SIGNED_DATA = [1, 2, 840, 113549, 1, 7, 2];
    /// id-ct-TSTInfo (RFC 3161).
    TST_INFO = [1, 2, 840, 113549, 1, 9, 16, 1, 4];

    /// Attribute content-type (RFC 5652).
    CONTENT_TYPE = [1, 2, 840, 113549, 1, 9, 3];
    /// Attribute message-digest (RFC 5652).
    MESSAGE_DIGEST = [1, 2, 840, 113549, 1, 9, 4];
    /// Attribute signing-time (RFC 5652).
    SIGNING_TIME = [1, 2, 840, 113549, 1, 9, 5];
    /// Attribute signing-certificate (RFC 2634; SHA-1).
    SIGNING_CERTIFICATE = [1, 2, 840, 113549, 1, 9, 16, 2, 12];
    /// Attribute signature-time-stamp-token (RFC 3161, EN 319 122).
    SIGNATURE_TIMESTAMP = [1, 2, 840, 113549, 1, 9, 16, 2, 14];
    /// Attribute other-signing-certificate (RFC 3126).
    OTHER_SIGNING_CERTIFICATE = [1, 2, 840, 113549, 1, 9, 16, 2, 19];
    /// Attribute signing-certificate-v2 (RFC 5035).
    SIGNING_CERTIFICATE_V2 = [1, 2, 840, 113549, 1, 9, 16, 2, 47];
    /// Attribute CMS algorithm protection (RFC 6211).
    ALGORITHM_PROTECTION = [1, 2, 840, 113549, 1, 9, 52];
    /// Attribute adbe-revocationInfoArchival (ISO 32000-1, 12.8.3.3).
    ADBE_REVOCATION = [1, 2, 840, 113583, 1, 1, 8];

    /// SHA-1 (RFC 3279).
    SHA1 = [1, 3, 14, 3, 2, 26];
    /// SHA-224 (RFC 5754).
    SHA224 = [2, 16, 840, 1, 101, 3, 4, 2, 4];
    /// SHA-256 (RFC 5754).
    SHA256 = [2, 16, 840, 1, 101, 3, 4, 2, 1];
    /// SHA-384 (RFC 5754).
    SHA384 = [2, 16, 840, 1, 101, 3, 4, 2, 2];
    /// SHA-512 (RFC 5754).
    SHA512 = [2, 16, 840, 1, 101, 3, 4, 2, 3];
    /// SHA3-256 (NIST CSOR).
    SHA3_256 = [2, 16, 840, 1, 101, 3, 4, 2, 8];
    /// SHA3-384 (NIST CSOR).
    SHA3_384 = [2, 16, 840, 1, 101, 3, 4, 2, 9];
    /// SHA3-512 (NIST CSOR).
    SHA3_512 = [2, 16, 840, 1, 101, 3, 4, 2, 10];
    /// MD5 (RFC 3370).
    MD5 = [1, 2, 840, 113549, 2, 5];

    /// rsaEncryption (RFC 8017).
    RSA = [1, 2, 840, 113549, 1, 1, 1];
    /// id-mgf1 (RFC 8017).
    MGF1 = [1, 2, 840, 113549, 1, 1, 8];
    /// id-RSASSA-PSS (RFC 8017).
    RSA_PSS = [1, 2, 840, 113549, 1, 1, 10];
    /// sha1WithRSAEncryption (RFC 8017).
    RSA_SHA1 = [1, 2, 840, 113549, 1, 1, 5];
    /// sha256WithRSAEncryption (RFC 8017).
    RSA_SHA256 = [1, 2, 840, 113549, 1, 1, 11];
    /// sha384WithRSAEncryption (RFC 8017).
    RSA_SHA384 = [1, 2, 840, 113549, 1, 1, 12];
    /// sha512WithRSAEncryption (RFC 8017).
    RSA_SHA512 = [1, 2, 840, 113549, 1, 1, 13];
    /// id-rsassa-pkcs1-v1_5-with-sha3-256 (RFC 9688).
    RSA_SHA3_256 = [2, 16, 840, 1, 101, 3, 4, 3, 14];
    /// id-rsassa-pkcs1-v1_5-with-sha3-384 (RFC 9688).
    RSA_SHA3_384 = [2, 16, 840, 1, 101, 3, 4, 3, 15];
    /// id-rsassa-pkcs1-v1_5-with-sha3-512 (RFC 9688).
    RSA_SHA3_512 = [2, 16, 840, 1, 101, 3, 4, 3, 16];
    /// id-ecdsa-with-sha3-256 (RFC 9688).
    ECDSA_SHA3_256 = [2, 16, 840, 1, 101, 3, 4, 3, 10];
    /// id-ecdsa-with-sha3-384 (RFC 9688).
    ECDSA_SHA3_384 = [2, 16, 840, 1, 101, 3, 4, 3, 11];
    /// id-ecdsa-with-sha3-512 (RFC 9688).
    ECDSA_SHA3_512 = [2, 16, 840, 1, 101, 3, 4, 3, 12];
    /// Ed25519 (RFC 8410).
    ED25519 = [1, 3, 101, 112];
    /// secp521r1, P-521 (RFC 5480).
    P521 = [1, 3, 132, 0, 35];
    /// brainpoolP256r1 (RFC 5639).
    BRAINPOOL_P256 = [1, 3, 36, 3, 3, 2, 8, 1, 1, 7];
    /// brainpoolP384r1 (RFC 5639).
    BRAINPOOL_P384 = [1, 3, 36, 3, 3, 2, 8, 1, 1, 11];
    /// id-ecPublicKey (RFC 5480).
    EC_PUBLIC_KEY = [1, 2, 840, 10045, 2, 1];
    /// secp256r1, P-256 (RFC 5480).
    P256 = [1, 2, 840, 10045, 3, 1, 7];
    /// secp384r1, P-384 (RFC 5480).
    P384 = [1, 3, 132, 0, 34];
    /// ecdsa-with-SHA1 (RFC 3279).
    ECDSA_SHA1 = [1, 2, 840, 10045, 4, 1];
    /// ecdsa-with-SHA256 (RFC 5758).
    ECDSA_SHA256 = [1, 2, 840, 10045, 4, 3, 2];
    /// ecdsa-with-SHA384 (RFC 5758).
    ECDSA_SHA384 = [1, 2, 840, 10045, 4, 3, 3];
    /// ecdsa-with-SHA512 (RFC 5758).
    ECDSA_SHA512 = [1, 2, 840, 10045, 4, 3, 4];

    /// commonName (X.520).
    COMMON_NAME = [2, 5, 4, 3];
    /// surname (X.520).
    SURNAME = [2, 5, 4, 4];
    /// serialNumber (X.520).
    SERIAL_NUMBER = [2, 5, 4, 5];
    /// countryName (X.520).
    COUNTRY = [2, 5, 4, 6];
    /// localityName (X.520).
    LOCALITY = [2, 5, 4, 7];
    /// stateOrProvinceName (X.520).
    STATE = [2, 5, 4, 8];
    /// organizationName (X.520).
    ORGANIZATION = [2, 5, 4, 10];
    /// organizationalUnitName (X.520).
    ORGANIZATIONAL_UNIT = [2, 5, 4, 11];
    /// givenName (X.520).
    GIVEN_NAME = [2, 5, 4, 42];
    /// organizationIdentifier (X.520).
    ORGANIZATION_IDENTIFIER = [2, 5, 4, 97];
    /// emailAddress (RFC 2985).
    EMAIL = [1, 2, 840, 113549, 1, 9, 1];
    /// domainComponent (RFC 4519).
    DOMAIN_COMPONENT = [0, 9, 2342, 19200300, 100, 1, 25];

    /// Extension subjectKeyIdentifier (RFC 5280).
    SUBJECT_KEY_ID = [2, 5, 29, 14];
    /// Extension keyUsage (RFC 5280).
    KEY_USAGE = [2, 5, 29, 15];
    /// Extension subjectAltName (RFC 5280).
    SUBJECT_ALT_NAME = [2, 5, 29, 17];
    /// Extension basicConstraints (RFC 5280).
    BASIC_CONSTRAINTS = [2, 5, 29, 19];
    /// CRL extension cRLNumber (RFC 5280).
    CRL_NUMBER = [2, 5, 29, 20];
    /// CRL entry extension reasonCode (RFC 5280).
    REASON_CODE = [2, 5, 29, 21];
    /// CRL entry extension invalidityDate (RFC 5280).
    INVALIDITY_DATE = [2, 5, 29, 24];
    /// CRL extension deltaCRLIndicator (RFC 5280).
    DELTA_CRL = [2, 5, 29, 27];
    /// CRL extension issuingDistributionPoint (RFC 5280).
    ISSUING_DISTRIBUTION_POINT = [2, 5, 29, 28];
    /// CRL entry extension certificateIssuer (RFC 5280).
    CERTIFICATE_ISSUER = [2, 5, 29, 29];
    /// Extension nameConstraints (RFC 5280).
    NAME_CONSTRAINTS = [2, 5, 29, 30];
    /// Extension cRLDistributionPoints (RFC 5280).
    CRL_DISTRIBUTION_POINTS = [2, 5, 29, 31];
    /// Extension certificatePolicies (RFC 5280).
    CERTIFICATE_POLICIES = [2, 5, 29, 32];
    /// The policy that stands for any (RFC 5280).
    ANY_POLICY = [2, 5, 29, 32, 0];
    /// Extension policyMappings (RFC 5280).
    POLICY_MAPPINGS = [2, 5, 29, 33];
    /// Extension policyConstraints (RFC 5280).
    POLICY_CONSTRAINTS = [2, 5, 29, 36];
    /// Extension inhibitAnyPolicy (RFC 5280).
    INHIBIT_ANY_POLICY = [2, 5, 29, 54];
    /// Extension authorityKeyIdentifier (RFC 5280).
    AUTHORITY_KEY_ID = [2, 5, 29, 35];
    /// Extension extKeyUsage (RFC 5280).
    EXTENDED_KEY_USAGE = [2, 5, 29, 37];
    /// CRL extension expiredCertsOnCRL (X.509).
    EXPIRED_CERTS_ON_CRL = [2, 5, 29, 60];
    /// Extension authorityInfoAccess (RFC 5280).
    AUTHORITY_INFO_ACCESS = [1, 3, 6, 1, 5, 5, 7, 1, 1];
    /// Extension qcStatements (RFC 3739).
    QC_STATEMENTS = [1, 3, 6, 1, 5, 5, 7, 1, 3];
    /// Norwegian end-user attributes extension.
    NORWEGIAN_END_USER = [2, 16, 578, 1, 61, 2, 4];
    /// anyExtendedKeyUsage (RFC 5280).
    ANY_EXTENDED_KEY_USAGE = [2, 5, 29, 37, 0];
    /// Key purpose timeStamping (RFC 5280).
    TIME_STAMPING = [1, 3, 6, 1, 5, 5, 7, 3, 8];
    /// Key purpose OCSPSigning (RFC 5280).
    OCSP_SIGNING = [1, 3, 6, 1, 5, 5, 7, 3, 9];
    /// Key purpose emailProtection (RFC 5280).
    EMAIL_PROTECTION = [1, 3, 6, 1, 5, 5, 7, 3, 4];
    /// Key purpose serverAuth (RFC 5280).
    SERVER_AUTH = [1, 3, 6, 1, 5, 5, 7, 3, 1];
    /// Key purpose clientAuth (RFC 5280).
    CLIENT_AUTH = [1, 3, 6, 1, 5, 5, 7, 3, 2];
    /// Key purpose codeSigning (RFC 5280).
    CODE_SIGNING = [1, 3, 6, 1, 5, 5, 7, 3, 3];
    /// Key purpose documentSigning (RFC 9336).
    DOCUMENT_SIGNING = [1, 3, 6, 1, 5, 5, 7, 3, 36];
    /// Key purpose of Microsoft for signing documents.
    MICROSOFT_DOCUMENT_SIGNING = [1, 3, 6, 1, 4, 1, 311, 10, 3, 12];
    /// Key purpose of Adobe for signing documents.
    ADOBE_DOCUMENT_SIGNING = [1, 2, 840, 113583, 1, 1, 5];
    /// Access method OCSP (RFC 6960).
    OCSP = [1, 3, 6, 1, 5, 5, 7, 48, 1];
    /// Access method caIssuers (RFC 5280).
    CA_ISSUERS = [1, 3, 6, 1, 5, 5, 7, 48, 2];
    /// Basic OCSP response (RFC 6960).
    OCSP_BASIC = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1];
    /// OCSP nonce extension (RFC 6960).
    OCSP_NONCE = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2];
    /// Extension id-pkix-ocsp-nocheck (RFC 6960).
    OCSP_NO_CHECK = [1, 3, 6, 1, 5, 5, 7, 48, 1, 5];
    /// OCSP archive cutoff (RFC 6960).
    OCSP_ARCHIVE_CUTOFF = [1, 3, 6, 1, 5, 5, 7, 48, 1, 6];
}
