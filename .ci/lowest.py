"""Print the lowest version of each package that pyproject.toml asks for, as constraints for pip."""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The extras that the tests run with.
EXTRAS = ("full", "test")


def main() -> None:
    """Write one line per package; a requirement without a lower end is an error."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    wanted = list(project["dependencies"])
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    for requirement in sorted(wanted):
        found = re.match(r"([\w-]+)(?:\[[\w,-]+\])?>=([\w.]+)", requirement)
        if found is None:
            sys.exit(
                f"pyproject.toml: {requirement!r} has no lower end. Write it as 'name>=version'."
            )
        sys.stdout.write(f"{found[1]}=={found[2]}\n")


if __name__ == "__main__":
    main()
