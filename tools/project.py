"""What a generated project's Makefile says."""
import re


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def make_variable(project, name):
    """The words of a variable."""
    text = read(project + "/Makefile").replace("\\\n", " ")
    m = re.search(r"^%s = (.*)$" % name, text, re.M)
    return m[1].split() if m else []
