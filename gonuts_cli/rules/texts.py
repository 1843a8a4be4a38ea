"""What a seed, a name or an id may be made of (SPEC §2, §8)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from gonuts_cli.errors import UsageError

MAX_TAG_BYTES: Final = 8192
"""What all tags may take as JSON: a referee's line, which may hold them, has 16 KiB (SPEC §5)."""

_FORBIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def exact(text: str) -> str:
    """The text as a `str` and nothing else: a member of an enumeration, say, shows as its name."""
    return text if type(text) is str else str.__str__(text)


def shown(value: object) -> str:
    """A foreign value for a message: the beginning of its `repr`."""
    try:
        return repr(value)[:99]
    except ValueError:  # Python does not write numbers of thousands of digits.
        return f"a value of type {type(value).__name__}"


def check_text(text: str, what: str, longest: int) -> str:
    """Return `text` when it has 1 to `longest` code points, none a control or a lone surrogate.

    Raises UsageError that calls the text `what` (SPEC §2).

    >>> check_text("Zoë", "a name", 64)
    'Zoë'
    """
    text = exact(text)
    if text.isprintable() and 1 <= len(text) <= longest:
        return text  # The most usual: what is printable holds nothing that is forbidden.
    if not 1 <= len(text) <= longest:
        raise UsageError(f"{what} must have 1 to {longest} characters; this one has {len(text)}")
    bad = _FORBIDDEN.search(text)
    if bad is not None:
        raise UsageError(
            f"{what} may not hold U+{ord(bad.group()):04X} "
            f"(character {bad.start() + 1}): no control characters, no lone surrogates"
        )
    return text


def check_tags(tags: Any) -> dict[str, str]:
    """The tags sorted by name; raises UsageError for what a game may not be tagged with."""
    if not isinstance(tags, Mapping):
        raise UsageError(f"tags are a mapping of names to values, not {shown(tags)}")
    if any(not isinstance(text, str) for pair in tags.items() for text in pair):
        raise UsageError("tags are texts: a name and a value")
    checked = dict(sorted((exact(name), exact(value)) for name, value in tags.items()))
    text = json.dumps(checked, ensure_ascii=False)
    if _SURROGATE.search(text) is not None:
        raise UsageError("a tag may not hold a lone surrogate")
    size = len(text.encode())
    if size > MAX_TAG_BYTES:
        raise UsageError(
            f"the tags take {size} bytes as JSON; together they may take {MAX_TAG_BYTES}"
        )
    return checked
