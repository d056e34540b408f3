"""The site of the documentation: `make docs` builds it, `make check` fails at its first fault.

Nothing is loaded from elsewhere: the theme brings its styles and scripts along and uses the fonts
of the reader's system, and the search reads an index that lies beside the pages.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "scrapy-linkrank"
release = metadata.version(project)
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
default_role = "code"  # docstrings write names as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
html_theme = "furo"
html_title = f"{project} {release}"
html_copy_source = False
html_show_copyright = False


def setup(app: Sphinx) -> None:
    """Leave out the docstrings of modules, which are for those who read the source."""

    def left_out(_app: Sphinx, what: str, *more: list[str]) -> None:
        if what == "module":
            more[-1].clear()

    app.connect("autodoc-process-docstring", left_out)
