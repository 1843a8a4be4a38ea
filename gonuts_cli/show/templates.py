"""Filling in the templates of pages: every text is escaped, and nothing that is named may lack."""

from __future__ import annotations


def filled(folder: str, template: str, **values: object) -> str:
    """A template of a folder of this package, with its values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__ or "", folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)
