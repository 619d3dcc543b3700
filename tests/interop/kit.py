"""What attacks and honest files are built with: a throw-away authority, signers, documents.

Nothing here is ours: keys and certificates come from `cryptography`, signatures, timestamps and
incremental updates from pyHanko, documents from pikepdf.
"""

import datetime
import io
import warnings

import pikepdf
from asn1crypto import keys as asn1_keys
from asn1crypto import ocsp as asn1_ocsp
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509 import ocsp
from cryptography.x509.oid import AuthorityInformationAccessOID, ExtendedKeyUsageOID, NameOID
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import fields, signers, timestamps
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.registry import SimpleCertificateStore

warnings.filterwarnings("ignore")

NOW = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
DAY = datetime.timedelta(days=1)


def _name(common, number=None):
    parts = [
        x509.NameAttribute(NameOID.COUNTRY_NAME, "NO"),
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Test Bank AS"),
        x509.NameAttribute(NameOID.COMMON_NAME, common),
    ]
    if number:
        parts.append(x509.NameAttribute(NameOID.SERIAL_NUMBER, number))
    return x509.Name(parts)


class Identity:
    """A key with its certificate."""

    def __init__(
        self, common, issuer=None, *, authority=False, purpose=None, number=None, elliptic=False
    ):
        self.issuer = issuer or self
        self.key = (
            ec.generate_private_key(ec.SECP256R1())
            if elliptic
            else rsa.generate_private_key(65537, 2048)
        )
        signing = issuer or self
        self.subject = _name(common, number)
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.subject)
            .issuer_name(signing.subject)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - 30 * DAY)
            .not_valid_after(NOW + 300 * DAY)
            .add_extension(x509.BasicConstraints(authority, None), True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.key.public_key()), False
            )
            .add_extension(
                x509.KeyUsage(
                    digital_signature=not authority,
                    content_commitment=not authority,
                    key_cert_sign=authority,
                    crl_sign=authority,
                    key_encipherment=False,
                    data_encipherment=False,
                    key_agreement=False,
                    encipher_only=False,
                    decipher_only=False,
                ),
                True,
            )
        )
        # pyHanko looks for evidence only where a certificate says that there is some.
        place = x509.UniformResourceIdentifier("http://pki.test.invalid/evidence")
        if issuer and authority:
            builder = builder.add_extension(
                x509.CRLDistributionPoints([x509.DistributionPoint([place], None, None, None)]),
                False,
            )
        elif issuer:
            builder = builder.add_extension(
                x509.AuthorityInformationAccess(
                    [x509.AccessDescription(AuthorityInformationAccessOID.OCSP, place)]
                ),
                False,
            )
        if purpose is not None:
            builder = builder.add_extension(
                x509.ExtendedKeyUsage([purpose]), purpose == ExtendedKeyUsageOID.TIME_STAMPING
            )
        if purpose == ExtendedKeyUsageOID.OCSP_SIGNING:
            builder = builder.add_extension(x509.OCSPNoCheck(), False)
        self.certificate = builder.sign(signing.key, hashes.SHA256())

    @property
    def der(self):
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def asn1(self):
        return asn1_x509.Certificate.load(self.der)

    @property
    def asn1_key(self):
        return asn1_keys.PrivateKeyInfo.load(
            self.key.private_bytes(
                serialization.Encoding.DER,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )


class Authority:
    """Root, issuing authority, responder, clock and signers."""

    def __init__(self, name="Test"):
        self.root = Identity(f"{name} Root CA", authority=True)
        self.issuing = Identity(f"{name} Issuing CA", self.root, authority=True)
        self.responder = Identity(
            f"{name} OCSP", self.issuing, purpose=ExtendedKeyUsageOID.OCSP_SIGNING
        )
        self.clock = Identity(
            f"{name} Clock", self.issuing, purpose=ExtendedKeyUsageOID.TIME_STAMPING
        )
        self.kari = Identity("Kari Nordmann", self.issuing, number="UN:NO-9578-1")
        self.ola = Identity("Ola Hansen", self.issuing, number="UN:NO-9578-2", elliptic=True)
        self.stranger = Identity("Kari Nordmann")
        self.registry = SimpleCertificateStore()
        self.registry.register_multiple([self.root.asn1, self.issuing.asn1, self.responder.asn1])

    def signer(self, identity=None):
        identity = identity or self.kari
        return signers.SimpleSigner(
            signing_cert=identity.asn1, signing_key=identity.asn1_key, cert_registry=self.registry
        )

    def timestamper(self):
        return timestamps.DummyTimeStamper(
            tsa_cert=self.clock.asn1,
            tsa_key=self.clock.asn1_key,
            certs_to_embed=self.registry,
            fixed_dt=NOW,
        )

    def _answer(self, identity):
        response = (
            ocsp.OCSPResponseBuilder()
            .add_response(
                cert=identity.certificate,
                issuer=identity.issuer.certificate,
                algorithm=hashes.SHA1(),
                cert_status=ocsp.OCSPCertStatus.GOOD,
                this_update=NOW,
                next_update=NOW + DAY,
                revocation_time=None,
                revocation_reason=None,
            )
            .responder_id(ocsp.OCSPResponderEncoding.HASH, self.responder.certificate)
            .certificates([self.responder.certificate])
            .sign(self.responder.key, hashes.SHA256())
        )
        return asn1_ocsp.OCSPResponse.load(response.public_bytes(serialization.Encoding.DER))

    def _list(self):
        from asn1crypto import crl

        made = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self.root.subject)
            .last_update(NOW)
            .next_update(NOW + 30 * DAY)
            .add_extension(x509.CRLNumber(1), False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.root.key.public_key()),
                False,
            )
            .sign(self.root.key, hashes.SHA256())
        )
        return crl.CertificateList.load(made.public_bytes(serialization.Encoding.DER))

    def context(self, evidence=False):
        """What pyHanko trusts; with `evidence`, what it puts into a security store."""
        if not evidence:
            return ValidationContext(
                trust_roots=[self.root.asn1], allow_fetching=False, other_certs=[self.issuing.asn1]
            )
        return ValidationContext(
            trust_roots=[self.root.asn1],
            allow_fetching=False,
            revocation_mode="require",
            other_certs=[self.issuing.asn1, self.responder.asn1],
            ocsps=[self._answer(i) for i in (self.kari, self.ola, self.clock)],
            crls=[self._list()],
        )


# Documents -----------------------------------------------------------------------------------

PAGE_TEXT = (
    b"BT /F1 12 Tf 72 700 Td (Loan agreement) Tj 0 -20 Td (Amount: 100 000 NOK) Tj "
    b"0 -20 Td (The borrower pays back within five years.) Tj ET\n"
    b"0.5 w 72 640 m 500 640 l S\n"
)


def document(
    pages=1, *, streams=False, form=False, tagged=False, linear=False, extra=None, content=PAGE_TEXT
):
    """A loan agreement."""
    pdf = pikepdf.new()
    font = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
        )
    )
    for number in range(pages):
        body = content if number == 0 else b"BT /F1 12 Tf 72 700 Td (More terms.) Tj ET\n"
        page = pdf.add_blank_page(page_size=(595, 842))
        page.obj.Contents = pdf.make_stream(body)
        page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
    if form:
        _add_form(pdf, font)
    if tagged:
        _add_tags(pdf)
    if extra:
        extra(pdf, font)
    with pdf.open_metadata() as meta:
        meta["dc:title"] = "Loan agreement"
    pdf.docinfo["/Title"] = "Loan agreement"
    out = io.BytesIO()
    pdf.save(
        out,
        linearize=linear,
        object_stream_mode=(
            pikepdf.ObjectStreamMode.generate if streams else pikepdf.ObjectStreamMode.disable
        ),
    )
    return out.getvalue()


def text_appearance(pdf, text, font):
    stream = pdf.make_stream(
        b"/Tx BMC q BT /Helv 11 Tf 0 g 2 5 Td (%s) Tj ET Q EMC" % text.encode("latin-1")
    )
    stream.Type = pikepdf.Name.XObject
    stream.Subtype = pikepdf.Name.Form
    stream.BBox = [0, 0, 200, 20]
    stream.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(Helv=font))
    return stream


def _add_form(pdf, font):
    page = pdf.pages[0].obj
    made = []
    for index, (name, value, flags) in enumerate(
        [("city", "", 0), ("amount", "100 000", 0), ("rate", "", 1)]
    ):
        field = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Widget,
            FT=pikepdf.Name.Tx,
            T=name,
            Rect=[72, 560 - 30 * index, 272, 580 - 30 * index],
            F=4,
            P=page,
            Ff=flags,
            DA="/Helv 11 Tf 0 g",
        )
        if value:
            field.V = value
            field.AP = pikepdf.Dictionary(N=text_appearance(pdf, value, font))
        made.append(pdf.make_indirect(field))
    states = {}
    for state, drawing in (("/Yes", b"q 0 0 12 12 re f Q"), ("/Off", b"")):
        stream = pdf.make_stream(drawing)
        stream.Type, stream.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
        stream.BBox = [0, 0, 12, 12]
        states[state] = stream
    made.append(
        pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Annot,
                Subtype=pikepdf.Name.Widget,
                FT=pikepdf.Name.Btn,
                T="agree",
                Rect=[72, 460, 84, 472],
                F=4,
                P=page,
                V=pikepdf.Name.Off,
                AS=pikepdf.Name.Off,
                AP=pikepdf.Dictionary(N=pikepdf.Dictionary(states)),
            )
        )
    )
    page.Annots = pdf.make_indirect(pikepdf.Array(made))
    pdf.Root.AcroForm = pdf.make_indirect(
        pikepdf.Dictionary(
            Fields=pikepdf.Array(made),
            DA="/Helv 11 Tf 0 g",
            DR=pikepdf.Dictionary(Font=pikepdf.Dictionary(Helv=font)),
        )
    )


def _add_tags(pdf):
    page = pdf.pages[0].obj
    page.StructParents = 0
    page.Contents = pdf.make_stream(
        b"/P <</MCID 0>> BDC BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET EMC"
    )
    root = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
    element = pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=pikepdf.Name.P, P=root, K=0, Pg=page)
    )
    root.K = pikepdf.Array([element])
    root.ParentTree = pdf.make_indirect(pikepdf.Dictionary(Nums=[0, pikepdf.Array([element])]))
    root.ParentTreeNextKey = 1
    pdf.Root.StructTreeRoot = root
    pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
    pdf.Root.Lang = "en"


# Signing and updating with pyHanko -----------------------------------------------------------


def update(data, change):
    """An incremental update: `change(writer)` alters what it likes."""
    writer = IncrementalPdfFileWriter(io.BytesIO(data), strict=False)
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


class Careless(signers.PdfSigner):
    """Signs although a certification forbids it."""

    def _enforce_certification_constraints(self, reader):
        pass


def sign(
    data,
    signer,
    name="Signature1",
    *,
    box=None,
    page=0,
    stamp=None,
    timestamper=None,
    context=None,
    archive=False,
    subfilter=fields.SigSeedSubFilter.PADES,
    certify=False,
    permission=fields.MDPPerm.FILL_FORMS,
    reason="Loan 4711",
    existing=False,
    change=None,
    appearance=None,
    careless=False,
):
    """Signs with pyHanko; `change(writer)` slips something into the same revision."""
    writer = IncrementalPdfFileWriter(io.BytesIO(data), strict=False)
    if change:
        change(writer)
    meta = signers.PdfSignatureMetadata(
        field_name=name,
        subfilter=subfilter,
        reason=reason,
        certify=certify,
        docmdp_permissions=permission,
        embed_validation_info=context is not None,
        use_pades_lta=archive,
        validation_context=context,
        md_algorithm="sha256",
    )
    spec = None if existing else fields.SigFieldSpec(name, box=box, on_page=page)
    kind = Careless if careless else signers.PdfSigner
    pdf_signer = kind(
        meta, signer=signer, timestamper=timestamper, stamp_style=stamp, new_field_spec=spec
    )
    out = io.BytesIO()
    pdf_signer.sign_pdf(
        writer, existing_fields_only=existing, output=out, appearance_text_params=appearance
    )
    return out.getvalue()
