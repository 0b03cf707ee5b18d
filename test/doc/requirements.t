#!/usr/bin/env python3
"""doc/requirements.md: every test that it names is there and executable, every
requirement has a short one, no test is without a requirement, ids are in order;
tests that doc/safety.md and test/longest name are there, too."""
import glob
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
faults = []
tests = set(glob.glob("test/*/*.t") + glob.glob("test/*/*.long"))
covered, ids = set(), []
for line in open("doc/requirements.md", encoding="utf-8"):
    m = re.match(r"\| R(\d+) \| (.+) \| (.+) \|$", line)
    if not m:
        continue
    ids.append(int(m[1]))
    own = set()
    for name in re.findall(r"`([^`]+)`", m[3]):
        there = set(glob.glob(name)) & tests
        if not there:
            faults.append(f"R{m[1]}: no test {name}")
        own |= there
    if not any(t.endswith(".t") for t in own):
        faults.append(f"R{m[1]}: no test of `make check`")
    covered |= own
if ids != list(range(1, len(ids) + 1)) or not ids:
    faults.append(f"ids are not 1, 2, 3 ...: {ids}")
faults += [f"{t}: no requirement of doc/requirements.md names it"
           for t in sorted(tests - covered)]
faults += [f"{t}: make check does not run it: not executable"
           for t in sorted(tests) if not os.access(t, os.X_OK)]
for name in re.findall(r"`(test/[\w./-]+)`",
                       open("doc/safety.md", encoding="utf-8").read()):
    if not os.path.exists(name):
        faults.append(f"doc/safety.md: no {name}")
faults += [f"test/longest: no {t}"
           for t in sorted(set(open("test/longest").read().split()) - tests)]
print("\n".join(faults) if faults else
      f"{len(ids)} requirements, {len(tests)} tests")
sys.exit(bool(faults))
