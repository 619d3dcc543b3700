"""The end user's redirect, through both clients."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

import signdoc
from signdoc import PadesDocument
from support import credentials, ran

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BACK = "https://shop.example/callback"


@pytest.fixture(params=["Client", "AsyncClient"])
def run(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """Waits for a call, whichever client made it."""

    def run(made: Any) -> Any:
        return asyncio.run(made) if inspect.iscoroutine(made) else made

    run.kind = request.param  # type: ignore[attr-defined]
    return run


@pytest.fixture
def client(sandbox: signdoc.Sandbox, run: Any) -> Any:
    return sandbox.client() if run.kind == "Client" else sandbox.async_client()


@pytest.fixture
def order(sandbox: signdoc.Sandbox, samples: Path) -> signdoc.Order:
    with sandbox.client() as client:
        return client.pades.create("o", [PadesDocument(samples / "loan-agreement.pdf")])


def realm(sandbox: signdoc.Sandbox) -> str:
    return urlsplit(sandbox.issuer).path + "/protocol/openid-connect"


def test_the_address_has_what_the_specification_wants(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order
) -> None:
    login = run(client.login.begin(order, BACK, ui_locales="nb", scopes=["profile", "sign"]))
    assert login.sign_id == order.sign_id
    query = {key: value for key, (value,) in parse_qs(urlsplit(login.url).query).items()}
    assert query["scope"] == "openid sign profile"
    assert (query["sign_id"], query["redirect_uri"]) == (order.sign_id, BACK)
    assert (query["ui_locales"], query["code_challenge_method"]) == ("nb", "S256")
    shown = repr(login)
    assert query["state"] not in shown
    assert login.to_token() not in shown
    assert json.loads(json.dumps(login.to_token())) == login.to_token()
    for secret in (query["state"], query["nonce"], order.sign_id):
        assert secret not in login.to_token()


@pytest.mark.parametrize("mode", ["query", "form_post", "fragment"])
def test_a_callback_in_every_form(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order, mode: str
) -> None:
    login = run(client.login.begin(order.sign_id, redirect_uri=BACK, response_mode=mode))
    back = sandbox.visit(login, person="ola")
    assert (back.method == "POST") == (mode == "form_post")
    callback = back.fields if back.method == "POST" else back.url
    identity = run(client.login.finish(login.to_token(), callback))
    assert identity.sign_id == order.sign_id
    assert identity.claims["iss"] == sandbox.issuer


def test_another_process_finishes(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order
) -> None:
    login = run(client.login.begin(order, BACK))
    back = sandbox.visit(login)
    code = """
        import sys, signdoc
        with signdoc.Client.from_env() as client:
            print(client.login.finish(sys.argv[1], sys.argv[2]).sign_id)
    """
    assert ran(code, login.to_token(), back.url, **credentials(sandbox)) == order.sign_id


@pytest.mark.parametrize(("action", "text"), [("cancel", "cancelled"), ("fail", "failed")])
def test_an_end_user_who_does_not_sign(
    sandbox: signdoc.Sandbox,
    client: Any,
    run: Any,
    order: signdoc.Order,
    action: Any,
    text: str,
) -> None:
    login = run(client.login.begin(order, BACK))
    back = sandbox.visit(login, action=action)
    with pytest.raises(signdoc.LoginError, match=text) as caught:
        run(client.login.finish(login.to_token(), back.url))
    assert (caught.value.name, caught.value.origin) == ("access_denied", "service")
    assert caught.value.details["sign_id"] == order.sign_id


ERRORS = [
    "invalid_request",
    "unauthorized_client",
    "access_denied",
    "unsupported_response_type",
    "invalid_scope",
    "server_error",
    "temporarily_unavailable",
    "login_required",
    "interaction_required",
    "something_new",
]


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_on_the_redirect(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order, name: str
) -> None:
    login = run(client.login.begin(order, BACK))
    path = realm(sandbox) + "/auth"
    sandbox.faults.add("authorize_error", path=path, error=name, description="so it is")
    back = sandbox.visit(login)
    with pytest.raises(signdoc.LoginError, match="so it is") as caught:
        run(client.login.finish(login.to_token(), back.url))
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("change", "error", "name"),
    [
        ("state", signdoc.LoginError, "login_state_mismatch"),
        ("no_state", signdoc.LoginError, "login_state_mismatch"),
        ("no_code", signdoc.LoginError, "login_callback_incomplete"),
        ("two_codes", signdoc.LoginError, "login_callback_incomplete"),
        ("code", signdoc.OAuthError, "invalid_grant"),
    ],
)
def test_a_callback_that_is_wrong(
    sandbox: signdoc.Sandbox,
    client: Any,
    run: Any,
    order: signdoc.Order,
    change: str,
    error: type[signdoc.AuthError],
    name: str,
) -> None:
    login = run(client.login.begin(order, BACK))
    sandbox.faults.add("callback", path=realm(sandbox) + "/sign", change=change)
    back = sandbox.visit(login)
    with pytest.raises(error) as caught:
        run(client.login.finish(login.to_token(), back.url))
    assert caught.value.name == name
    assert caught.value.details["sign_id"] == order.sign_id
    # What was signed can still be had.
    with sandbox.client() as other:
        assert other.pades.download(order).documents[0].data


def test_a_replayed_callback_and_a_foreign_one(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order
) -> None:
    login = run(client.login.begin(order, BACK))
    back = sandbox.visit(login)
    run(client.login.finish(login.to_token(), back.url))
    with pytest.raises(signdoc.OAuthError) as caught:
        run(client.login.finish(login.to_token(), back.url))
    assert caught.value.name == "invalid_grant"
    other = run(client.login.begin(order, BACK))
    with pytest.raises(signdoc.LoginError) as foreign:
        run(client.login.finish(other.to_token(), back.url))
    assert foreign.value.name == "login_state_mismatch"
    with pytest.raises(signdoc.LoginError) as forged:
        run(client.login.finish("nonsense", back.url))
    assert forged.value.name == "login_token_invalid"
    stranger = sandbox.client(state_key="another key that is long enough to seal with")
    with pytest.raises(signdoc.LoginError) as sealed:
        stranger.login.finish(login.to_token(), back.url)
    assert sealed.value.name == "login_token_invalid"


@pytest.mark.parametrize("awaits", [False, True])
def test_a_store_of_finished_logins(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order, awaits: bool
) -> None:
    if awaits and run.kind == "Client":
        pytest.skip("the blocking client awaits nothing")
    taken: set[str] = set()

    def claim(number: str) -> bool:
        is_new = number not in taken
        taken.add(number)
        return is_new

    async def claim_later(number: str) -> bool:
        await asyncio.sleep(0)
        return claim(number)

    given: Any = claim_later if awaits else claim
    login = run(client.login.begin(order, BACK))
    with pytest.raises(signdoc.LoginError) as foreign:
        run(client.login.finish(login.to_token(), f"{BACK}?state=x&code=y", claim=given))
    assert foreign.value.name == "login_state_mismatch"
    assert foreign.value.details["sign_id"] == order.sign_id
    assert not taken, "a forged callback takes nothing"
    back = sandbox.visit(login)
    assert run(client.login.finish(login.to_token(), back.url, claim=given)).subject
    before = len(sandbox.requests)
    with pytest.raises(signdoc.LoginError) as caught:
        run(client.login.finish(login.to_token(), back.url, claim=given))
    assert (caught.value.name, caught.value.code) == ("login_replayed", 463)
    assert caught.value.details["sign_id"] == order.sign_id
    assert len(sandbox.requests) == before
    assert len(taken) == 1


ID_TOKENS = [
    "nonce",
    "no_nonce",
    "expired",
    "issuer",
    "audience",
    "azp",
    "alg_none",
    "hs256",
    "unknown_kid",
    "signature",
]


@pytest.mark.parametrize("change", ID_TOKENS)
def test_an_id_token_that_is_wrong(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order, change: str
) -> None:
    login = run(client.login.begin(order, BACK))
    back = sandbox.visit(login)
    sandbox.faults.add("id_token", method="POST", path=realm(sandbox) + "/token", change=change)
    # The client's own token for the service was had before.
    with pytest.raises(signdoc.IdTokenError) as caught:
        run(client.login.finish(login.to_token(), back.url))
    assert caught.value.details["sign_id"] == order.sign_id
    assert 450 <= caught.value.code < 500


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_clock_that_is_wrong_is_named(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order, seconds: int
) -> None:
    login = run(client.login.begin(order, BACK))
    back = sandbox.visit(login)
    path = realm(sandbox) + "/token"
    sandbox.faults.add("id_token", method="POST", path=path, change="skew", seconds=seconds)
    with pytest.raises(signdoc.IdTokenError) as caught:
        run(client.login.finish(login.to_token(), back.url))
    assert caught.value.details["sign_id"] == order.sign_id


@pytest.mark.parametrize("algorithm", ["es256", "rs256"])
def test_keys_that_rotate(
    sandbox: signdoc.Sandbox, client: Any, run: Any, samples: Path, algorithm: str
) -> None:
    sandbox.set_variants(id_token_alg=algorithm)
    with sandbox.client() as other:
        for rotated in (False, True):
            pdf = PadesDocument(samples / "loan-agreement.pdf")
            order = other.pades.create("o", [pdf])
            login = run(client.login.begin(order, BACK))
            back = sandbox.visit(login)
            if rotated:
                sandbox.rotate_keys(keep_previous=False)
            identity = run(client.login.finish(login.to_token(), back.url))
            assert identity.sign_id == order.sign_id


def test_what_cannot_begin(client: Any, run: Any, order: signdoc.Order) -> None:
    for address in ("", "callback", "https://shop.example/callback#top"):
        with pytest.raises(signdoc.InputError) as caught:
            run(client.login.begin(order, address))
        assert caught.value.details["field"] == "redirect_uri"
    wrong: Any = 4711
    with pytest.raises(signdoc.InputError, match="Order or its sign_id"):
        run(client.login.begin(wrong, BACK))


def test_a_form_as_frameworks_give_it(
    sandbox: signdoc.Sandbox, client: Any, run: Any, order: signdoc.Order
) -> None:
    class Form(dict[str, str]):
        """Keys may be there more than once, as in the forms of web frameworks."""

        def multi_items(self) -> list[tuple[str, str]]:
            return [*self.items(), ("code", "another")]

    login = run(client.login.begin(order, BACK, response_mode="form_post"))
    back = sandbox.visit(login)
    with pytest.raises(signdoc.LoginError, match="more than once"):
        run(client.login.finish(login.to_token(), Form(back.fields)))
    assert run(client.login.finish(login.to_token(), back.fields)).sign_id == order.sign_id
