#!/usr/bin/env python3
"""doc/troubleshooting.md has every error that users can meet, under the status
that the program ends with, and no message that the program does not have.

A row's message has ... where messages differ, as has a message of the source
where it has a conversion."""
import glob
import os
import re
import sys

os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
STATUS = {"ERR_MODEL": 1, "ERR_USAGE": 2, "ERR_FIT": 3, "ERR_DIFFER": 4,
          "ERR_TOOL": 5}
STRING = r'"(?:[^"\\]|\\.)*"'


def arguments(text, at):
    """What lies between a parenthesis that opened before `at` and its end."""
    depth, end = 1, at
    for m in re.finditer(STRING + r"|'(?:[^'\\]|\\.)'|[()]", text[at:]):
        depth += {"(": 1, ")": -1}.get(m.group(), 0)
        if not depth:
            end = at + m.start()
            break
    return text[at:end]


def said(literals):
    """Adjacent string literals as a message."""
    s = "".join(p[1:-1] for p in re.findall(STRING, literals))
    s = re.sub(r"%[-+ 0#]*(\*|\d+)?(\.(\*|\d+))?(ll|l|z|h|j)?[a-zA-Z]", "...", s)
    return s.replace("\\n", " ").replace('\\"', '"').strip()


def messages():
    """(status, message, file) of all calls that end the program."""
    run = rf"(?:{STRING}\s*(?:PRI\w+\s*)?)+"
    for path in sorted(glob.glob("src/**/*.c", recursive=True)):
        text = open(path).read()
        text = re.sub(r'"\s*PRI[dux]64\s*"', 'lld', text)
        for m in re.finditer(r"\b(err|dev_fail)\((?:\w+,\s*)??(ERR_\w+),", text):
            args = arguments(text, m.end())
            found = [said(s) for s in re.findall(run, args)]
            found = [s for s in found if len(s) > 3]
            for s in found if m.group(1) == "dev_fail" else found[:1]:
                yield STATUS[m.group(2)], s, path
        if path == "src/shard/stage.c":  # why there is no pipeline
            for m in re.finditer(rf"return (?:arena_fmt\(s->mem, )?({run})", text):
                yield 1, said(m.group(1)), path
        for m in re.finditer(r"\b(err_node|call_err)\(\w+,", text):
            found = re.findall(run, arguments(text, m.end()))
            if found:
                yield 1, "node '...' (...): " + said(found[0]), path


def rows():
    """(status, message) of the page."""
    status = None
    for line in open("doc/troubleshooting.md"):
        if line.startswith("## "):
            m = re.match(r"## Status (\d)", line)
            status = int(m.group(1)) if m else None
        m = re.match(r"\| `(.*?)` \| [^|]+ \| [^|]+ \|$", line)
        if m and status:
            yield status, m.group(1)


def fits(row, message):
    parts = [re.escape(p) for p in row.split("...")]
    whole = ".*".join(parts)
    return re.fullmatch(whole, message) or re.fullmatch(
        whole, message.removeprefix("node '...' (...): "))


page, all_ = list(rows()), list(messages())
bad = 0
for status, message, path in all_:
    if not any(s == status and fits(row, message) for s, row in page):
        bad += 1
        print(f"status {status}, {path}: not in the page: {message}")
for status, row in page:
    if not any(s == status and fits(row, m) for s, m, _ in all_):
        bad += 1
        print(f"status {status}: no such message: {row}")
print(f"{len(all_)} messages, {len(page)} rows, {bad} faults")
sys.exit(bad > 0 or len(all_) < 200 or len(page) < 60)
