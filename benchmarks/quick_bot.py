"""A bot that answers at once and stays alive: what a referee costs shows beside it.

Run as a program it speaks the bot protocol. It starts without this package, in a moment.
"""

from __future__ import annotations

import sys
from typing import Any

import orjson


def answer(request: dict[str, Any]) -> list[Any]:
    """A legal choice that follows from the request, a different one in every round and seat."""
    options = request["options"]
    start = request["view"]["round"] * (request["player"] + 2) % len(options)
    return [*options[start:], *options[:start]][: request["counts"][0]]


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin.buffer:
        message = orjson.loads(line)
        if message["type"] == "decide":
            said = {"id": message["id"], "choose": answer(message)}
        elif message["type"] == "hello":
            said = {"type": "ready", "reuse": True}
        else:
            continue
        sys.stdout.buffer.write(orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
