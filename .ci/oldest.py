"""Print the oldest versions that `pyproject.toml` allows, as requirements, and what tests need."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ("choix", "hypothesis", "pytest", "pytest-timeout", "rfc8785")


def main() -> None:
    """Print a requirement for each dependency of the client and the server."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = project["dependencies"] + project["optional-dependencies"]["server"]
    oldest = [re.sub(">=", "==", requirement) for requirement in needed]
    sys.stdout.write("\n".join([*oldest, *TESTS]) + "\n")


if __name__ == "__main__":
    main()
