"""Prints what pyproject.toml requires, a line each, before anything is installed.

python tools/requirements.py         # what the project needs
python tools/requirements.py dev     # what an extra of it adds
"""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib

if __name__ == "__main__":
    path = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    extras = [project["optional-dependencies"][name] for name in sys.argv[1:]]
    print(*(line for each in extras or [project["dependencies"]] for line in each), sep="\n")
