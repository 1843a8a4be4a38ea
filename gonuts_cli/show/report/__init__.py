"""report.html."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def report_page(ranking: Any, count: Any, value: Any, folder: Path) -> str:
    """Stub."""
    return ""
