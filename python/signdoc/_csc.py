"""The CSC group of `Client`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signdoc import _csc_operations as operations
from signdoc._log import log
from signdoc.csc import PdfToSign

if TYPE_CHECKING:
    from collections.abc import Iterable

    from signdoc import _native
    from signdoc._base import ClientBase
    from signdoc._documents import Document
    from signdoc._forms import Callback
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.csc import Credential, Credentials, CscInfo, CscLogin, PdfSeal, SignedPdf


class Csc:
    """The credential-based signing interface at the option ``csc_url`` (CSC API v2)."""

    def __init__(self, client: ClientBase) -> None:
        self._client = client

    def info(self, *, timeout: Seconds | Timeout | None = None) -> CscInfo:
        """What the interface says of itself.

        Raises:
            ConfigError: The option ``csc_url`` is missing.
            CscError, TransportError, ProtocolError, OAuthError: The call failed.
        """
        return operations.info(self._client._engine, timeout=timeout).wait(log())

    def begin(
        self, redirect_uri: str, *, lang: str | None = None, description: str | None = None
    ) -> CscLogin:
        """The address to send the end user to. Sends nothing.

        Args:
            redirect_uri: Where the end user comes back to, as it is registered.
            lang: Language of the login pages: ``"nb"``, ``"nn"`` or ``"en"``.
            description: What the user is asked to agree to, at most 500 characters.

        Raises:
            ConfigError: ``csc_url`` is missing, or there is nothing to seal the login with.
            InputError: The redirect address cannot be one, or the description is too long.
        """
        engine = self._client._engine
        made = operations.begin(engine, redirect_uri, lang=lang, description=description)
        return made.wait(log())

    def finish(
        self,
        token: str,
        callback: Callback,
        *,
        timeout: Seconds | Timeout | None = None,
    ) -> CscSession:
        """Checks the callback and exchanges its code for a session.

        Args:
            token: What ``CscLogin.to_token`` gave.
            callback: The address the user came back to, or the fields of the form that was posted:
                the web framework's own object, a dict, or pairs. A parameter that comes twice is
                refused.
            timeout: Seconds this call may take in all, or a `Timeout`; default: the client's.

        Raises:
            LoginError: The callback belongs to another login, or tells an error (the user denied,
                and others); ``name`` says which.
            OAuthError: The code was refused: ``invalid_grant`` for a replayed callback.
            TransportError, ProtocolError: The call failed.
        """
        engine, client = self._client._engine, self._client

        def made(native: _native.CscSession) -> CscSession:
            return CscSession(client, native)

        finished: CscSession = operations.finish(
            engine, token, callback, made, timeout=timeout
        ).wait(log())
        return finished

    def check_pdfs(self, pdfs: Iterable[PdfToSign]) -> None:
        """Looks documents and destinations over before anybody is sent to log in.

        Raises:
            InputError: A document cannot be signed, or the result cannot be written.
            CscError: There are no documents, or more than 50.
        """
        choice = ("sha256", None, None, None)
        engine = self._client._engine
        operations.sign_pdfs(engine, None, pdfs, choice, timeout=None).wait(log())


class CscSession:
    """A signing session: one login, one authorization, up to 50 signatures.

    A step out of order, or a second use, fails before anything is sent with the code the service
    would give (``token_already_used``).
    """

    def __init__(self, client: ClientBase, native: _native.CscSession) -> None:
        self._client = client
        self._native = native

    def __repr__(self) -> str:
        return "CscSession(...)"

    def __reduce__(self) -> str:
        raise TypeError("a CSC session belongs to the process that began it: its token is secret")

    def credentials(self, *, timeout: Seconds | Timeout | None = None) -> Credentials:
        """The user's credentials: asked for once, then remembered.

        Raises:
            CscError: The service refused, or the session is further on or over.
            TransportError, ProtocolError: The call failed; the session is over.
        """
        engine = self._client._engine
        return operations.credentials(engine, self._native, timeout=timeout).wait(log())

    def credential_info(
        self, credential_id: str, *, timeout: Seconds | Timeout | None = None
    ) -> Credential:
        """One credential, looked at anew, between `credentials` and the authorization.

        It stands outside of the once-only order; by itself it is called only where the list gave no
        more than a credential's name.

        Raises:
            CscError: The service refused, or it is not its turn.
            TransportError, ProtocolError: The call failed.
        """
        engine = self._client._engine
        return operations.credential_info(
            engine, self._native, credential_id, timeout=timeout
        ).wait(log())

    def authorize(
        self,
        hashes: Iterable[bytes],
        hash_algorithm: str = "sha256",
        *,
        credential_id: str | None = None,
        padding: str | None = None,
        description: str | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> None:
        """Authorizes exactly these hashes; arguments and errors as `sign_hashes`."""
        choice = (hash_algorithm, credential_id, padding, description)
        engine = self._client._engine
        operations.sign_hashes(
            engine, self._native, "authorize", hashes, choice, timeout=timeout
        ).wait(log())

    def sign_hash(self, *, timeout: Seconds | Timeout | None = None) -> list[bytes]:
        """Signs what was authorized; each signature is checked. Errors as `sign_hashes`."""
        engine = self._client._engine
        return operations.sign_hash(engine, self._native, timeout=timeout).wait(log())

    def sign_hashes(
        self,
        hashes: Iterable[bytes],
        hash_algorithm: str = "sha256",
        *,
        credential_id: str | None = None,
        padding: str | None = None,
        description: str | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> list[bytes]:
        """Signs digests: list, authorize, signHash, and the check of each signature.

        Args:
            hashes: 1 to 50 digests.
            hash_algorithm: ``"sha256"``, ``"sha384"`` or ``"sha512"``: what they were made with.
            credential_id: Which credential; default: the first one.
            padding: How an RSA key signs, ``"pkcs1"`` or ``"pss"``; default: as it is offered.
            description: What the user is asked to agree to, at most 500 characters.
            timeout: Seconds each step may take, or a `Timeout`; default: the client's.

        Returns:
            One signature value for each digest, in order. Values of ECDSA keys are as the service
            wrote them.

        Raises:
            CscError: Wrong input (nothing was sent), or the service refused; the class tells the
                category. ``signature_mismatch`` for a signature that is not the one asked for.
            OutcomeUnknown: The answer was lost: a new login is needed.
            TransportError, ProtocolError: The call failed.
        """
        choice = (hash_algorithm, credential_id, padding, description)
        engine = self._client._engine
        return operations.sign_hashes(
            engine, self._native, "all", hashes, choice, timeout=timeout
        ).wait(log())

    def sign_pdf(
        self,
        pdf: Document,
        to: StrPath | None = None,
        *,
        overwrite: bool = False,
        field_name: str | None = None,
        reason: str | None = None,
        location: str | None = None,
        contact_info: str | None = None,
        name: str | None = None,
        seal: PdfSeal | None = None,
        hash_algorithm: str = "sha256",
        credential_id: str | None = None,
        padding: str | None = None,
        description: str | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> SignedPdf:
        """Signs one PDF; for several in one session see `sign_pdfs`.

        The first arguments are those of `PdfToSign`, the others those of `sign_pdfs`.
        """
        document = PdfToSign(
            pdf, to, overwrite, field_name, reason, location, contact_info, name, seal
        )
        (signed,) = self.sign_pdfs(
            [document],
            hash_algorithm=hash_algorithm,
            credential_id=credential_id,
            padding=padding,
            description=description,
            timeout=timeout,
        )
        return signed

    def sign_pdfs(
        self,
        pdfs: Iterable[PdfToSign],
        *,
        hash_algorithm: str = "sha256",
        credential_id: str | None = None,
        padding: str | None = None,
        description: str | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> list[SignedPdf]:
        """Signs up to 50 PDFs in one session.

        Documents and destinations are checked before the session's token is used. Each signature
        is verified before it is embedded. The bytes of a document stay an untouched prefix of the
        signed one, so earlier signatures stay valid; memory does not grow with its size.

        Args:
            pdfs: The documents, each with where it goes.
            hash_algorithm: As for `sign_hashes`; so are the others.
            credential_id: Which credential; default: the first one.
            padding: ``"pkcs1"`` or ``"pss"``; default: as it is offered.
            description: What the user is asked to agree to, at most 500 characters.
            timeout: Seconds each step may take, or a `Timeout`; default: the client's.

        Raises:
            InputError: A document cannot be signed, or a result cannot be written where it
                belongs; the token was not used.
            CscError, OutcomeUnknown, TransportError, ProtocolError: As `sign_hashes`.
        """
        choice = (hash_algorithm, credential_id, padding, description)
        engine = self._client._engine
        return operations.sign_pdfs(engine, self._native, pdfs, choice, timeout=timeout).wait(log())
