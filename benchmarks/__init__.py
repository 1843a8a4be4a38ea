"""Benchmarks that compare: what gonuts takes, against yardsticks, peers and more of the same work.

`python -m benchmarks` measures and writes docs/performance.md; see `__main__.py`.
"""
