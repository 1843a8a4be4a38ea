"""Names of bots as names of files: safe whatever they hold, and no two the same."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

_KEPT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_LONGEST = 100  # bytes: with what is added, all file systems take it


def file_names(names: Sequence[str]) -> list[str]:
    """A file name (without an ending) for each name, in ASCII letters, digits and `._-%~`.

    Other characters become `%` and their UTF-8 bytes in hex, as in an address; so does a dot at the
    start. A name that is too long is cut, and one that differs from another in case only is kept
    apart, by a few digits of its hash.

    >>> file_names(["ann", "Ann", "b/c"])
    ['ann~9c21cc50', 'Ann~a66db44e', 'b%2Fc']
    """
    escaped = [_escape(name) for name in names]
    alike = Counter(text.casefold() for text in escaped)
    return [
        f"{text[:_LONGEST]}~{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        if len(text) > _LONGEST or alike[text.casefold()] > 1
        else text
        for name, text in zip(names, escaped, strict=True)
    ]


def _escape(name: str) -> str:
    text = "".join(
        character if character in _KEPT else "".join(f"%{byte:02X}" for byte in character.encode())
        for character in name
    )
    return f"%2E{text[1:]}" if text.startswith(".") else text
