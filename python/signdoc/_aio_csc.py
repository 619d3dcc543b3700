"""The CSC group of `AsyncClient`; arguments, results and errors are those of `Client`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signdoc import _csc_operations as operations
from signdoc._bridge import awaited
from signdoc.csc import PdfToSign

if TYPE_CHECKING:
    from collections.abc import Iterable

    from signdoc import _native
    from signdoc._base import ClientBase
    from signdoc._documents import Document
    from signdoc._forms import Callback
    from signdoc._options import Seconds, StrPath, Timeout
    from signdoc.csc import Credential, Credentials, CscInfo, CscLogin, PdfSeal, SignedPdf


class AsyncCsc:
    """The credential-based signing interface at the option ``csc_url`` (CSC API v2)."""

    def __init__(self, client: ClientBase) -> None:
        self._client = client

    async def info(self, *, timeout: Seconds | Timeout | None = None) -> CscInfo:
        """What the interface says of itself.

        As ``client.csc.info`` of `Client`.
        """
        return await awaited(operations.info(self._client._engine, timeout=timeout))

    async def begin(
        self, redirect_uri: str, *, lang: str | None = None, description: str | None = None
    ) -> CscLogin:
        """The address to send the end user to. Sends nothing.

        As ``client.csc.begin`` of `Client`.
        """
        engine = self._client._engine
        made = operations.begin(engine, redirect_uri, lang=lang, description=description)
        return await awaited(made)

    async def finish(
        self,
        token: str,
        callback: Callback,
        *,
        timeout: Seconds | Timeout | None = None,
    ) -> AsyncCscSession:
        """Checks the callback and exchanges its code for a session.

        As ``client.csc.finish`` of `Client`.
        """
        engine, client = self._client._engine, self._client

        def made(native: _native.CscSession) -> AsyncCscSession:
            return AsyncCscSession(client, native)

        finished: AsyncCscSession = await awaited(
            operations.finish(engine, token, callback, made, timeout=timeout)
        )
        return finished

    async def check_pdfs(self, pdfs: Iterable[PdfToSign]) -> None:
        """Looks documents and destinations over before anybody is sent to log in.

        As ``client.csc.check_pdfs`` of `Client`.
        """
        choice = ("sha256", None, None, None)
        engine = self._client._engine
        await awaited(operations.sign_pdfs(engine, None, pdfs, choice, timeout=None))


class AsyncCscSession:
    """A signing session: one login, one authorization, up to 50 signatures.

    A step out of order, or a second use, fails before anything is sent with the code the service
    would give (``token_already_used``).
    """

    def __init__(self, client: ClientBase, native: _native.CscSession) -> None:
        self._client = client
        self._native = native

    def __repr__(self) -> str:
        return "AsyncCscSession(...)"

    def __reduce__(self) -> str:
        raise TypeError("a CSC session belongs to the process that began it: its token is secret")

    async def credentials(self, *, timeout: Seconds | Timeout | None = None) -> Credentials:
        """The user's credentials: asked for once, then remembered.

        As ``session.credentials`` of `Client`.
        """
        engine = self._client._engine
        return await awaited(operations.credentials(engine, self._native, timeout=timeout))

    async def credential_info(
        self, credential_id: str, *, timeout: Seconds | Timeout | None = None
    ) -> Credential:
        """One credential, looked at anew, between `credentials` and the authorization.

        As ``session.credential_info`` of `Client`.
        """
        engine = self._client._engine
        return await awaited(
            operations.credential_info(engine, self._native, credential_id, timeout=timeout)
        )

    async def authorize(
        self,
        hashes: Iterable[bytes],
        hash_algorithm: str = "sha256",
        *,
        credential_id: str | None = None,
        padding: str | None = None,
        description: str | None = None,
        timeout: Seconds | Timeout | None = None,
    ) -> None:
        """Authorizes exactly these hashes.

        As ``session.authorize`` of `Client`.
        """
        choice = (hash_algorithm, credential_id, padding, description)
        engine = self._client._engine
        await awaited(
            operations.sign_hashes(
                engine, self._native, "authorize", hashes, choice, timeout=timeout
            )
        )

    async def sign_hash(self, *, timeout: Seconds | Timeout | None = None) -> list[bytes]:
        """Signs what was authorized.

        As ``session.sign_hash`` of `Client`.
        """
        engine = self._client._engine
        return await awaited(operations.sign_hash(engine, self._native, timeout=timeout))

    async def sign_hashes(
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

        As ``session.sign_hashes`` of `Client`.
        """
        choice = (hash_algorithm, credential_id, padding, description)
        engine = self._client._engine
        return await awaited(
            operations.sign_hashes(engine, self._native, "all", hashes, choice, timeout=timeout)
        )

    async def sign_pdf(
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
        """Signs one PDF.

        As ``session.sign_pdf`` of `Client`.
        """
        document = PdfToSign(
            pdf, to, overwrite, field_name, reason, location, contact_info, name, seal
        )
        (signed,) = await self.sign_pdfs(
            [document],
            hash_algorithm=hash_algorithm,
            credential_id=credential_id,
            padding=padding,
            description=description,
            timeout=timeout,
        )
        return signed

    async def sign_pdfs(
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

        As ``session.sign_pdfs`` of `Client`.
        """
        choice = (hash_algorithm, credential_id, padding, description)
        engine = self._client._engine
        return await awaited(
            operations.sign_pdfs(engine, self._native, pdfs, choice, timeout=timeout)
        )
