"""What a bot writes on standard error, kept within bounds (SPEC §5)."""

from __future__ import annotations

HALF = 512 * 1024
"""Bytes: this much is kept of the beginning, and as much of the end."""


class Notes:
    """The first and the last HALF bytes of a stream without end."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Take in what came next."""
        room = HALF - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        # Cut at twice the size, so that a flood costs one copy a half and not one a piece.
        if len(self._tail) > 2 * HALF:
            self._cut()

    def _cut(self) -> None:
        extra = len(self._tail) - HALF
        if extra > 0:
            del self._tail[:extra]
            self._left_out += extra

    def content(self) -> bytes:
        """All that is kept; a line says how many bytes are missing in the middle."""
        self._cut()
        gap = b"\n[%d bytes left out]\n" % self._left_out if self._left_out else b""
        return bytes(self._head) + gap + bytes(self._tail)

    def last(self, longest: int = 600) -> str:
        """The last whole lines of at most `longest` bytes together; foreign text."""
        end = bytes(self._tail[-2 * longest :])
        if len(end) < 2 * longest:
            end = bytes(self._head[len(end) - 2 * longest :]) + end
        whole = end.rstrip()
        if len(whole) > longest:
            whole = whole[-longest - 1 :]
            whole = whole.partition(b"\n")[2] or whole[1:]
        return whole.decode("utf-8", "replace").strip()

    def __len__(self) -> int:
        """Bytes that came, kept or not."""
        return len(self._head) + self._left_out + len(self._tail)
