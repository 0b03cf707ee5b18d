"""The wheel: a thin package around the program, which it carries.

`make wheel` copies the program into it first.  It is of one platform and of any
Python 3: there is no extension module in it."""
import os
import re

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))


def version():
    """Of src/cli/cli.h, the one place where it stands."""
    with open(os.path.join(HERE, "..", "src", "cli", "cli.h")) as f:
        return re.search(r'#define VERSION "([^"]*)"', f.read()).group(1)


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(
    name="tilewright",
    version=version(),
    description="Neural networks to C for bare microcontrollers",
    long_description=open(os.path.join(HERE, "README.md")).read(),
    long_description_content_type="text/markdown",
    packages=["tilewright"],
    package_data={"tilewright": ["bin/tilewright"]},
    python_requires=">=3.8",
    install_requires=["numpy"],
    cmdclass={"bdist_wheel": Wheel},
)
