#!/usr/bin/env python3
"""Norms of equal weights compute the same as factors by roots: roots.t [SEED
[COUNT]], rows of every root, bytes with a sign and without."""
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SEED = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SEED", 1))
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 12
rng = np.random.default_rng(SEED)
random.seed(SEED)


def rows_of(type, n):
    """A row for each root, of values that scatter as widely as it says."""
    top = 255 if type == "u8" else 128
    x = np.rint(rng.normal(0, 1, (top, n)) * np.arange(1, top + 1)[:, None])
    if type == "u8":
        return np.clip(abs(x), 0, 255).astype(np.uint8)
    return np.clip(x, -128, 127).astype(np.int8)


def run(*options):
    r = subprocess.run(["./tilewright", "run", *options], capture_output=True,
                       text=True)
    if r.returncode:
        sys.exit("seed %d: %s: exit %d\n%s" % (SEED, " ".join(options),
                                              r.returncode, r.stderr))
    return r.stdout


factors = 0
with tempfile.TemporaryDirectory() as tmp:
    for i in range(COUNT):
        of, to = random.choice("su") + "8", random.choice("su") + "8"
        n, shift = random.randint(8, 90), random.choice([0, *range(6, 17)])
        w = min(int(2**shift * rng.uniform(0.01, 80)) + 1, 2**22)
        x = rows_of(of, n)
        net, out = tmp + "/net.il", tmp + "/out.npz"
        with open(net, "w") as f:
            print('graph "net" exact\nx = input : %s%s\nw = const : s32[%d] '
                  "{%s}\ny = irmsnorm x w shift=%d lo=%d hi=%d\noutput y" % (
                      of, list(x.shape), n, ",".join([str(w)] * n), shift,
                      *((-128, 127) if to == "s8" else (0, 255))), file=f)
        np.savez(tmp + "/x.npz", x=x)
        args = [net, "-t", "host", "-n", "network", "-i", tmp + "/x.npz"]
        run(*args, "-o", out, "--no-roots", "-q")
        factors += "rootscale" in run(*args, "-e", out)
print("%d norms, %d of them by factors (seed %d)" % (COUNT, factors, SEED))
sys.exit(factors < COUNT / 2)
