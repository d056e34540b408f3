"""What pyproject.toml cannot say: how the kernels are compiled, and the readme of the package."""

import os
import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import PlatformError

REPOSITORY = ""
"""Its public address, once there is one: links of the package's readme then lead there, and so does
[project.urls]. Without, they are left out.
"""
ON_LXML = ("frontier.parsing._tree",)
"""The kernels that are compiled with the headers of lxml."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+://)([^)\s]+)\)")


def readme(text: str, repository: str) -> str:
    """The README where no repository lies beside it: its links absolute, or only their words."""

    def linked(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if repository:
            return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/HEAD/{target})"
        return "" if picture else words

    return LINK.sub(linked, text)


class BuildKernels(build_ext):
    """Compiles the kernels, if there is something to compile them with, on all cores."""

    def initialize_options(self) -> None:
        """Have Cython make what all kernels need once, and write its source."""
        super().initialize_options()
        self.shared_utility_qualified_name = "ranking._shared"
        self.parallel = os.cpu_count() or 1

    def build_extensions(self) -> None:
        """Raise PlatformError, which pip prints, where no compiler is found."""
        command = getattr(
            self.compiler, "compiler", None
        )  # Microsoft's has none, and says so itself
        if command and shutil.which(command[0]) is None:
            raise PlatformError(
                f"scrapy-linkrank is compiled when it is installed, and there is no C compiler "
                f"{command[0]!r} here: install one (Debian: apt install gcc python3-dev, Fedora: "
                f"dnf install gcc python3-devel, macOS: xcode-select --install), or set CC to yours"
            )
        self._translate()
        if command:
            for extension in self.extensions:
                extension.extra_compile_args.append("-g0")  # nobody debugs them; a third sooner
        super().build_extensions()

    def _translate(self) -> None:
        """Translate all in processes of their own: Cython's threads would wait for each other."""
        import lxml
        from Cython.Build import cythonize

        for extension in self.extensions:
            if extension.name in ON_LXML:
                extension.include_dirs += lxml.get_include()
        translated = cythonize(
            list(self.extensions),
            nthreads=self.parallel,
            quiet=True,
            shared_utility_qualified_name=self.shared_utility_qualified_name,
        )
        for extension, new in zip(self.extensions, translated, strict=True):
            extension.sources = new.sources


if __name__ == "__main__":
    setup(
        cmdclass={"build_ext": BuildKernels},
        long_description=readme(Path("README.md").read_text(encoding="utf-8"), REPOSITORY),
        long_description_content_type="text/markdown",
        project_urls={"Source": REPOSITORY} if REPOSITORY else {},
    )
