"""Making clients: options, the environment, secrets, pickles."""

from __future__ import annotations

import copy
import inspect
import logging
import pickle
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import signdoc
from signdoc import _native
from signdoc._keywords import ClientOptions
from support import CONVERT, PDF, answers, credentials, ran, started

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "canary-4711-Aa"
MINIMAL: dict[str, Any] = {"issuer": "https://id.example/realm", "client_id": "shop"}


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for _, _, variable, _ in _native.options():
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(f"{variable}_FILE", raising=False)


def test_keywords_are_the_options() -> None:
    keys = [key for key, *_ in _native.options()]
    keywords = inspect.signature(signdoc.Client).parameters
    assert [*keys, "pickle_secrets"] == list(keywords)
    assert all(keyword.kind is keyword.KEYWORD_ONLY for keyword in keywords.values())
    assert list(ClientOptions.__annotations__) == keys
    documented = inspect.getdoc(signdoc.Client)
    assert documented is not None
    assert all(f"    {key}: " in documented for key in keys)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"issuer": "http://id.example"}, "issuer"),
        ({"issuer": "no address"}, "issuer"),
        ({"client_id": ""}, "client_id"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": object()}, "timeout"),
        ({"max_retries": 11}, "max_retries"),
        ({"client_auth": "magic"}, "client_auth"),
        ({"ca_only": True}, "ca_file"),
        ({"ca_file": Path("/nowhere/ca.pem")}, "ca_file"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], field: str) -> None:
    with pytest.raises(signdoc.ConfigError) as caught:
        signdoc.Client(**{**MINIMAL, **options})
    assert caught.value.details["field"] == field
    assert field in caught.value.message


def test_options_take_the_types_one_expects() -> None:
    client = signdoc.Client(
        **MINIMAL, timeout=timedelta(minutes=1), read_timeout=1.5, max_retries=0, ca_only=False
    )
    options = client._engine.options()
    assert options["timeout"] == "60.0"
    assert options["read_timeout"] == "1.5"
    assert options["max_retries"] == "0"
    assert options["ca_only"] == "false"


def test_a_client_from_the_environment(
    sandbox: signdoc.Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(signdoc.ConfigError, match="SIGNDOC_ISSUER"):
        signdoc.Client.from_env()
    secret = tmp_path / "secret"
    secret.write_text(sandbox.client_secret + "\n")
    monkeypatch.setenv("SIGNDOC_ISSUER", sandbox.issuer)
    monkeypatch.setenv("SIGNDOC_CLIENT_ID", sandbox.client_id)
    monkeypatch.setenv("SIGNDOC_CLIENT_SECRET_FILE", str(secret))
    monkeypatch.setenv("SIGNDOC_TIMEOUT", "77")
    with signdoc.Client.from_env(max_retries=0) as client:
        assert client.conversion_specs() == ["PDFA_2B"]
        assert client._engine.options()["timeout"] == "77"
    wrong = signdoc.Client.from_env(client_secret="wrong")
    with pytest.raises(signdoc.OAuthError) as caught:
        wrong.conversion_specs()
    assert caught.value.name == "invalid_client"


def test_a_closed_client_refuses(client: signdoc.Client) -> None:
    client.close()
    client.close()
    with pytest.raises(signdoc.InputError, match="closed"):
        client.conversion_specs()
    assert repr(client).endswith(", closed>")


def test_an_unpickled_client_that_is_closed_refuses_too(client: signdoc.Client) -> None:
    with pickle.loads(pickle.dumps(client)) as twin:
        pass
    with pytest.raises(signdoc.InputError, match="closed") as caught:
        twin.conversion_specs()
    assert caught.value.name == "client_closed"


def test_copies_share_the_client(client: signdoc.Client) -> None:
    assert copy.copy(client) is client
    assert copy.deepcopy([client])[0] is client


def test_a_pickle_leaves_the_secret_behind(
    sandbox: signdoc.Sandbox, client: signdoc.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    pickled = pickle.dumps(client)
    assert sandbox.client_secret.encode() not in pickled
    twin = pickle.loads(pickled)
    assert repr(twin) == repr(client)
    assert pickle.loads(pickle.dumps(twin))._recipe == twin._recipe
    with pytest.raises(signdoc.ConfigError, match="SIGNDOC_CLIENT_SECRET") as caught:
        twin.conversion_specs()
    assert caught.value.name == "missing_secret"
    monkeypatch.setenv("SIGNDOC_CLIENT_SECRET", sandbox.client_secret)
    monkeypatch.setenv("SIGNDOC_TIMEOUT", "77")
    assert twin.conversion_specs() == ["PDFA_2B"]
    assert "timeout" not in twin._engine.options(), "only the secret comes from the environment"


def test_a_pickle_takes_the_secret_along_when_told_to(sandbox: signdoc.Sandbox) -> None:
    client = signdoc.Client(
        issuer=sandbox.issuer,
        client_id=sandbox.client_id,
        client_secret=sandbox.client_secret,
        pickle_secrets=True,
    )
    twin = pickle.loads(pickle.dumps(client))
    assert sandbox.client_secret not in str(vars(twin))
    assert twin.conversion_specs() == ["PDFA_2B"]
    assert pickle.loads(pickle.dumps(twin)).conversion_specs() == ["PDFA_2B"]


def test_a_proxy_password_is_a_secret_too(monkeypatch: pytest.MonkeyPatch) -> None:
    client = signdoc.Client(**MINIMAL, client_secret="s", proxy=f"http://u:{CANARY}@proxy:3128")
    assert CANARY.encode() not in pickle.dumps(client)
    monkeypatch.setenv("SIGNDOC_CLIENT_SECRET", "s")
    with pytest.raises(signdoc.ConfigError, match="SIGNDOC_PROXY"):
        pickle.loads(pickle.dumps(client)).conversion_specs()


def causes() -> list[Callable[[signdoc.Client], object]]:
    return [
        lambda client: client.convert([b"GIF"]),
        lambda client: client.convert([PDF], timeout=-1),
        lambda client: client.convert([PDF]),
        lambda client: client.conversion_specs(),
    ]


@pytest.mark.parametrize("cause", causes())
@pytest.mark.parametrize("client_auth", ["client_secret_basic", "client_secret_post"])
def test_secrets_and_documents_show_nowhere(
    sandbox: signdoc.Sandbox,
    cause: Callable[[signdoc.Client], object],
    client_auth: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    client = sandbox.client(client_secret=CANARY, client_auth=client_auth)
    with pytest.raises(signdoc.SignDocError) as caught:
        cause(client)
    error = caught.value
    shown = [
        repr(client),
        str(vars(client)),
        repr(error),
        str(error),
        repr(vars(error)),
        repr(pickle.dumps(error)),
        repr(pickle.dumps(client)),
        caplog.text,
        *capfd.readouterr(),
    ]
    assert CANARY not in "".join(shown)
    assert PDF.decode() not in "".join(shown)


def test_works_where_an_event_loop_runs(sandbox: signdoc.Sandbox) -> None:
    code = """
        import asyncio, signdoc
        async def cell():
            with signdoc.Client.from_env() as client:
                return client.conversion_specs(), client.convert([b"%PDF-1.4"])[0].data
        print(asyncio.run(cell()))
    """
    answers(sandbox, b"%PDF-1.7 done")
    assert ran(code, **credentials(sandbox)) == "(['PDFA_2B'], b'%PDF-1.7 done')"


def test_importing_loads_nothing_heavy() -> None:
    code = """
        import sys, typing, enum, dataclasses
        before = set(sys.modules)
        import signdoc
        print(" ".join(sorted(name for name in set(sys.modules) - before if "signdoc" not in name)))
    """
    assert ran(code) == "__future__"


def test_events_go_to_the_logger(
    sandbox: signdoc.Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "signdoc")
    sandbox.faults.add("status", path=CONVERT, status=503, headers={"Retry-After": "0"})
    answers(sandbox, b"%PDF-1.7")
    with sandbox.client() as client:
        client.convert([PDF])
    records = [record for record in caplog.records if record.name == "signdoc"]
    assert {record.levelname for record in records} >= {"DEBUG", "WARNING"}
    assert {len(vars(record)["correlation_id"]) for record in records} == {16}
    assert len({vars(record)["correlation_id"] for record in records}) == 1
    assert "503" in caplog.text
    assert sandbox.client_secret not in caplog.text


def test_nobody_who_does_not_ask_gets_logs(sandbox: signdoc.Sandbox) -> None:
    sandbox.faults.add("status", path=CONVERT, status=503, headers={"Retry-After": "0"})
    answers(sandbox, b"%PDF-1.7", times=1)
    code = """
        import sys, signdoc
        if sys.argv[1:]:
            import logging
        with signdoc.Client.from_env() as client:
            client.convert([b"%PDF-1.4"])
        print("logging" in sys.modules)
    """
    for arguments, imported in (((), "False"), (("logging",), "True")):
        process = started(code, *arguments, **credentials(sandbox))
        output, errors = process.communicate(timeout=60)
        assert (output.strip(), errors) == (imported, "")
        sandbox.faults.clear()
        answers(sandbox, b"%PDF-1.7")


def test_the_last_answer_is_there_for_support(
    sandbox: signdoc.Sandbox, client: signdoc.Client
) -> None:
    before = client.last_answer
    assert before is None
    sandbox.faults.add("status", path=CONVERT, status=418, body="a teapot", headers={"Via": "x"})
    with pytest.raises(signdoc.SignDocError):
        client.convert([PDF])
    answer = client.last_answer
    assert answer is not None
    assert (answer.status, answer.body) == (418, "a teapot")
    assert ("via", "x") in answer.headers
