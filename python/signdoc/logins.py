"""The end user's redirect to the identity provider and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signdoc._record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping


class Login(Record):
    """A login that has begun: where to send the user, and what is needed to finish.

    Attributes:
        url: The address to send the end user to.
        sign_id: The order.
    """

    __slots__ = ("url", "sign_id", "_token")
    # State, nonce and challenge are in the address.
    _hidden = frozenset({"url", "_token"})
    url: str
    sign_id: str
    _token: str

    def __init__(self, url: str, sign_id: str, token: str) -> None:
        self._fill(url, sign_id, token)

    def to_token(self) -> str:
        """The login as a sealed text for ``login.finish``: safe in JSON, a session, a cookie.

        It is encrypted under a key derived from the client's ``state_key`` or secret; another
        process, host or language finishes the login with it.
        """
        return self._token


class Identity(Record):
    """Who signed, as the identity provider vouches for it; claims are personal data.

    Attributes:
        sign_id: The order that was signed.
        subject: The user at the provider (``sub``).
        claims: All claims of the verified ID token.
    """

    __slots__ = ("sign_id", "subject", "claims")
    _hidden = frozenset({"subject", "claims"})
    sign_id: str
    subject: str
    claims: Mapping[str, Any]

    def __init__(self, sign_id: str, subject: str, claims: Mapping[str, Any]) -> None:
        self._fill(sign_id, subject, claims)

    def __hash__(self) -> int:
        return hash((self.sign_id, self.subject))
