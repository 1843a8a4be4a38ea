"""Text that came from elsewhere, made fit to be shown: it cannot drive a terminal."""

from __future__ import annotations

import unicodedata

# Cc: C0, C1 and DEL. Cf: bidirectional controls, zero-width and other invisible format characters.
# Cs: lone surrogates, which no output encoding takes. Zl and Zp: the line and paragraph separators.
_ESCAPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable(text: str) -> str:
    r"""`text` with every character that does something, rather than show something, escaped.

    Escaped are control characters (line ends too), format characters (bidirectional ones among
    them), line and paragraph separators and lone surrogates: as `\uXXXX`, or `\UXXXXXXXX` above
    U+FFFF, in lower case. Everything else stays itself. The result is for people: a backslash
    is not doubled, so it cannot be read back.
    """
    if text.isprintable():
        return text
    return "".join(
        _escape(ord(character))
        if unicodedata.category(character) in _ESCAPED_CATEGORIES
        else character
        for character in text
    )


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
