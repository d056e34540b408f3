"""All is declared in pyproject.toml; this says in one line what is missing without a C compiler."""

import shutil

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import PlatformError


class BuildKernels(build_ext):
    """Compiles the kernels, if there is something to compile them with."""

    def initialize_options(self) -> None:
        """Have Cython make what all kernels need once, and write its source."""
        super().initialize_options()
        self.shared_utility_qualified_name = "ranking._shared"

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
        super().build_extensions()


setup(cmdclass={"build_ext": BuildKernels})
