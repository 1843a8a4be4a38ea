"""A UCI engine that answers at once: both sides move a knight to and fro.

It stands to a chess referee as `quick_bot.py` to ours. For games from the initial position.
"""

from __future__ import annotations

import sys

_MOVES = ("g1f3", "g8f6", "f3g1", "f6g8")


def main() -> None:
    """Answer until told to quit."""
    move = _MOVES[0]
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print("uciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", "startpos", *rest]:
                move = _MOVES[max(0, len(rest) - 1) % 4]
            case ["go", *_]:
                print(f"bestmove {move}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
