"""What `printable` lets through, and what it does not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gonuts_cli.show.safe import printable

ANYTHING = st.text(alphabet=st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("ann", "ann"),
        ("Éclair, Bärenklaue, ドーナツ, 🍩", "Éclair, Bärenklaue, ドーナツ, 🍩"),
        ("no\u00a0break", "no\u00a0break"),
        ("back\\slash", "back\\slash"),
        ("\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"),
        ("two\r\nlines\tand\x00nul", "two\\u000d\\u000alines\\u0009and\\u0000nul"),
        ("\x7f\x80\x85\x9b31m\x9f", "\\u007f\\u0080\\u0085\\u009b31m\\u009f"),
        ("a\u202eb\u2066c\u2069\u200fd\u061c", "a\\u202eb\\u2066c\\u2069\\u200fd\\u061c"),
        ("line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"),
        ("\u200b\u200d\ufeff\u00ad", "\\u200b\\u200d\\ufeff\\u00ad"),
        ("\ud83c alone \udf69", "\\ud83c alone \\udf69"),
        ("\U000e0041\U000e007f", "\\U000e0041\\U000e007f"),
    ],
)
def test_shows_text_and_escapes_what_acts(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(ANYTHING)
def test_nothing_that_acts_is_left(text: str) -> None:
    shown = printable(text)
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in shown)
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")


@given(ANYTHING)
def test_showing_twice_changes_nothing(text: str) -> None:
    assert printable(printable(text)) == printable(text)


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "S", "M", "Zs"))))
def test_ordinary_text_stays_itself(text: str) -> None:
    assert printable(text) == text
