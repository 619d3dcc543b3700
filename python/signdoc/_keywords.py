"""The keywords of `Client`, for type checkers: making this class would slow the import down."""

from __future__ import annotations

from typing import TypedDict

from signdoc._options import Seconds, StrPath


class ClientOptions(TypedDict, total=False):
    """The keywords of `Client`; ``SIGNDOC_`` and the same word in capitals in the environment."""

    issuer: str
    client_id: str
    client_secret: str | None
    client_auth: str | None
    private_key: StrPath | None
    key_id: str | None
    client_auth_alg: str | None
    base_url: str | None
    orders_url: str | None
    scope: str | None
    csc_url: str | None
    csc_scope: str | None
    tsa_url: str | None
    state_key: str | None
    login_lifetime: Seconds | None
    timeout: Seconds | None
    connect_timeout: Seconds | None
    read_timeout: Seconds | None
    reception_timeout: Seconds | None
    fallback_folder: StrPath | None
    max_retries: int | None
    max_answer_size: int | None
    ca_file: StrPath | None
    ca_only: bool | None
    client_cert: StrPath | None
    proxy: str | None
    no_proxy: str | None
    user_agent: str | None
