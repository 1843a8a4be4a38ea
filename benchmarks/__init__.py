"""Benchmarks that compare: what gonuts takes, against yardsticks, peers and more of the same work.

`python -m benchmarks` measures and writes docs/performance.md; see `__main__.py`.
"""

import sys
from pathlib import Path

# `python -m` looks here before anywhere else, but what is installed is to be measured: the rules of
# the sources are never compiled, those that are installed may be.
_ROOT = str(Path(__file__).parents[1])
if sys.path[0] == _ROOT:
    sys.path.append(sys.path.pop(0))
