"""The exception classes against the error table, and what a person sees of an error."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import traceback
from typing import Any

import pytest

import signdoc
from signdoc import _native, errors
from support import REPOSITORY

TABLE: list[dict[str, Any]] = [
    row
    for row in json.loads((REPOSITORY / "tests/vectors/errors.json").read_text())["codes"]
    if row["number"] != 0
]
CLASSES = {
    name: cls
    for name, cls in inspect.getmembers(errors, inspect.isclass)
    if issubclass(cls, signdoc.SignDocError)
}
# Roots to catch by; no row of the table is one of them and nothing more.
ROOTS = {"AuthError"}

TREE = {
    signdoc.SignDocError: (
        signdoc.ConfigError,
        signdoc.InputError,
        signdoc.Cancelled,
        signdoc.TransportError,
        signdoc.ProtocolError,
        signdoc.OutcomeUnknown,
        signdoc.AuthError,
        signdoc.ServiceError,
        signdoc.ConversionError,
        signdoc.OrderError,
        signdoc.VerificationError,
        signdoc.InternalError,
    ),
    signdoc.TransportError: (signdoc.RequestTimeout,),
    signdoc.AuthError: (signdoc.OAuthError, signdoc.LoginError, signdoc.IdTokenError),
    signdoc.ServiceError: (signdoc.CscError,),
    signdoc.CscError: (
        signdoc.CscRequestError,
        signdoc.CscTokenError,
        signdoc.CscAuthenticationError,
        signdoc.CscAuthorizationError,
        signdoc.CscCredentialError,
        signdoc.CscSigningError,
        signdoc.CscSigningBackendError,
        signdoc.CscServiceError,
        signdoc.CscInternalError,
    ),
    signdoc.OrderError: (
        signdoc.WindowExpired,
        signdoc.OrderFailed,
        signdoc.OrderCancelled,
        signdoc.OrderNotFound,
        signdoc.OrderNotReady,
    ),
}


def full(cls: type[signdoc.SignDocError]) -> signdoc.SignDocError:
    return cls(
        "something happened",
        name="their_word",
        origin="service",
        http_status=418,
        reference="REF-1",
        retryable=True,
        retry_after=1.5,
        details={"field": "documents[0]"},
        results=[signdoc.Conversion(0, converted=True, data=b"%PDF-secret", size=11)],
    )


def facts(error: signdoc.SignDocError) -> dict[str, Any]:
    return {**error.__dict__, "args": error.args, "str": str(error)}


def test_the_classes_cover_the_table_exactly() -> None:
    assert {row["class"] for row in TABLE} | ROOTS == set(CLASSES)
    assert all(getattr(signdoc, name) is cls for name, cls in CLASSES.items())
    assert set(CLASSES) < set(signdoc.__all__)


def test_the_module_has_the_table_that_is_written_down() -> None:
    assert [
        {key: row[key] for key in made}
        for made, row in zip(_native.error_table(), TABLE, strict=True)
    ] == (_native.error_table())


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["constant"])
def test_an_error_is_its_row(row: dict[str, Any]) -> None:
    error = CLASSES[row["class"]](code=row["number"])
    assert (error.code, error.name) == (row["number"], row["name"])
    assert (error.category, error.advice) == (row["category"], row["advice"])
    assert error.retryable == row["retryable"]
    assert error.message == row["summary"]


@pytest.mark.parametrize("cls", CLASSES.values(), ids=lambda cls: cls.__name__)
def test_a_class_without_a_code_takes_a_row_of_its_own_kind(
    cls: type[signdoc.SignDocError],
) -> None:
    row = _native.spec(cls().code)
    assert row is not None
    assert issubclass(CLASSES[row["class"]], cls)


def test_the_tree_is_the_one_that_is_documented() -> None:
    ours = set(CLASSES.values())
    children = {cls: set(cls.__subclasses__()) & ours for cls in ours}
    children = {cls: below for cls, below in children.items() if below}
    assert children == {cls: set(below) for cls, below in TREE.items()}


def test_builtin_classes_catch_what_they_mean() -> None:
    for cls, builtin in [
        (signdoc.ConfigError, ValueError),
        (signdoc.InputError, ValueError),
        (signdoc.TransportError, ConnectionError),
        (signdoc.RequestTimeout, TimeoutError),
        (signdoc.RequestTimeout, ConnectionError),
    ]:
        assert issubclass(cls, builtin)


@pytest.mark.parametrize("cls", CLASSES.values(), ids=lambda cls: cls.__name__)
def test_errors_pickle_and_copy(cls: type[signdoc.SignDocError]) -> None:
    error = full(cls)
    error.add_note("their own note")
    for twin in (copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is cls
        assert facts(twin) == facts(error)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        pickled = pickle.dumps(error, protocol)
        twin = pickle.loads(pickled)
        assert type(twin) is cls
        known, found = facts(error), facts(twin)
        assert [one.size for one in found.pop("results")] == [11]
        del known["results"]
        assert found == known
        assert twin.__notes__ == error.__notes__
        assert b"%PDF-secret" not in pickled, "an error takes no document along"


class WithOwnConstructor(signdoc.InputError):
    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")
        self.second = second


def test_errors_with_another_constructor_pickle_too() -> None:
    error = pickle.loads(pickle.dumps(WithOwnConstructor(1, 2)))
    assert (error.message, error.second, type(error)) == ("1 and 2", 2, WithOwnConstructor)


def test_a_traceback_shows_advice_and_reference() -> None:
    error = full(signdoc.ServiceError)
    shown = "".join(traceback.format_exception(error))
    assert "signdoc.errors.ServiceError: something happened (reference REF-1)" in shown
    assert f"advice: {error.advice} (signdoc explain {error.code})" in shown
    assert "%PDF-secret" not in shown + repr(error.results)


def test_a_row_of_a_later_version_still_makes_an_error() -> None:
    error = errors._from_native("BrandNewError", "new", {"code": 799, "name": "new"}, [])
    assert type(error) is signdoc.SignDocError
    assert (error.code, error.name, error.message) == (799, "new", "new")


def test_a_defect_is_an_internal_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(signdoc.InternalError, match="failed inside") as caught:
        _native.provoke_defect()
    assert caught.value.name == "panic"
    assert isinstance(caught.value, Exception)
    assert "provoked" in capfd.readouterr().err


def test_codes_of_warnings_and_faults_are_the_specifications() -> None:
    assert [code.value for code in signdoc.WarningCode] == [
        name for name, _ in _native.warning_table()
    ]
    faults = [row["name"] for row in TABLE if row["message"]]
    assert [code.value for code in signdoc.FaultCode] == faults
