"""What holds for all tests."""

from __future__ import annotations

import signal

# A script's background is deaf to Ctrl-C, and so would be the programs that tests start there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
