"""TOML texts, with the standard library or, before Python 3.11, with tomli."""

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a TOML text; a ``ValueError`` says what is not valid."""
    return tomllib.loads(text)
