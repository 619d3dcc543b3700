"""Results as values, as a table, and codes that nobody knows yet."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import signdoc
from signdoc import (
    Conversion,
    ConversionFault,
    ConversionResults,
    ConversionWarning,
    FaultCode,
    WarningCode,
)


def results() -> ConversionResults:
    odd = "<script>alert(1)</script>"
    return ConversionResults(
        [
            Conversion(0, "c-1", "loan", True, path=Path("converted/loan.pdf"), size=3_750_000),
            Conversion(
                1,
                converted=True,
                warnings=[ConversionWarning(WarningCode(odd), odd)],
                data=b"%PDF-1.7 secret",
                size=15,
            ),
            Conversion(
                2, errors=[ConversionFault(FaultCode.DOC_SIGNED, "Document contains signatures")]
            ),
        ]
    )


def test_a_result_list_is_a_list() -> None:
    made = results()
    assert isinstance(made, list)
    assert [one.index for one in made] == [0, 1, 2]
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) == made


def test_the_table_as_text() -> None:
    assert repr(results()).splitlines() == [
        "#  converted  warnings                   errors      size             result",
        "-  ---------  -------------------------  ----------  ---------------  ------------------",
        "1  yes                                               3,750,000 bytes  converted/loan.pdf",
        "2  yes        <script>alert(1)</script>              15 bytes         in memory",
        "3  no                                    DOC_SIGNED",
    ]
    assert repr(ConversionResults()) == "no results"


def test_the_table_in_a_notebook_is_escaped() -> None:
    shown = results()._repr_html_()
    assert shown.startswith("<table>")
    assert shown.count("<tr>") == 4
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_results_cannot_be_changed_and_show_no_document() -> None:
    one = results()[1]
    with pytest.raises(AttributeError, match="converted cannot be changed"):
        one.converted = False
    with pytest.raises(AttributeError):
        del one.converted
    assert "secret" not in repr(results()) + repr(one) + str(one)
    assert "size=15" in repr(one)
    assert one != results()[2]


def test_codes_stay_open() -> None:
    known, unknown = WarningCode("FONT_SUBST"), WarningCode("Glyphs improved")
    assert known is WarningCode.FONT_SUBST
    assert (known.is_known, unknown.is_known) == (True, False)
    assert known == "FONT_SUBST"
    assert unknown == "Glyphs improved" == WarningCode("Glyphs improved")
    assert {str(known): 1, str(unknown): 2}[unknown] == 2
    assert repr(known) == "<WarningCode.FONT_SUBST>"
    assert "Glyphs improved" in repr(unknown)
    assert f"{known} {unknown}" == "FONT_SUBST Glyphs improved"
    assert pickle.loads(pickle.dumps([known, unknown])) == [known, unknown]
    assert len(WarningCode) == 8
    with pytest.raises(ValueError, match="3"):
        WarningCode(3)  # type: ignore[arg-type]


def test_warnings_show_their_code() -> None:
    warning = ConversionWarning(WarningCode.FONT_SUBST, "Font substituted")
    assert str(warning) == "FONT_SUBST"
    assert "FONT_SUBST" in repr(warning)
    assert len({warning, ConversionWarning(WarningCode.FONT_SUBST, "Font substituted")}) == 1


def test_progress_tells_how_much_is_sent() -> None:
    assert signdoc.Progress(1, 4, 0).fraction_sent == 0.25
    assert signdoc.Progress(0, 0, 0).fraction_sent == 0.0
