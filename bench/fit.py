"""fit.py WRITE FIT RUN...: numbers of kernels' heads from measured layers.

FIT is a table of bench/fit (a line a layer: what its numbers count for), RUN the
report of the same network's run; they come in pairs.  Of each kernel the numbers
are those with which its layers differ least from what was measured, in relation
to it (least squares; layers that ask for the same are one, and those that are far
from the rest, of which another layer has a half, are none); numbers of which
layers know little stay as they are (ridge).  They replace the old ones in
kern/fit.tsv if WRITE is 1 and the median or the mean size of the differences
falls by half a percent, and neither grows; of the kernels in KERNELS, or of all."""
import json
import os
import sys

import numpy as np

FAR = 60     # percent from the median that are no measurement of a head
STAY = 0.05  # what a number's change by itself costs, in layers' differences
BETTER = 0.5

write, pairs = sys.argv[1] == '1', sys.argv[2:]
table = [l.split('\t') for l in open('kern/fit.tsv').read().splitlines()]
old = {(k, n): float(v) if "." in v else int(v) for k, n, v, *_ in table[1:]}
only = os.environ.get('KERNELS', '').split()
layers = {}
for fit, run in zip(pairs[::2], pairs[1::2]):
    try:
        measured = json.load(open(run))['layers']
    except (OSError, ValueError, KeyError):
        continue
    for line in open(fit).read().splitlines():
        i, kernel, predicted, *counts = line.split('\t')
        at = measured[int(i)] if int(i) < len(measured) else {}
        if at.get('kernel') == kernel and at.get('kernel_warm', -1) and \
                at['kernel_warm'] and at['kernel_warm'] > 0 and \
                at['predicted_kernels'] == int(predicted):
            layers.setdefault(kernel, {}).setdefault(
                (int(predicted), *counts), []).append(at['kernel_warm'])


def rows_of(kernel):
    """Predicted, measured and counts of the layers that differ in these."""
    rows = [(key[0], np.median(is_), dict((n, float(c)) for n, c in
                                          (k.split('=') for k in key[1:])))
            for key, is_ in layers.get(kernel, {}).items()]
    off = [100 * is_ / p - 100 for p, is_, _ in rows]
    return [r for r, d in zip(rows, off) if abs(d - np.median(off)) < FAR]


def differences(rows, change):
    return [100 * (p + sum(change.get(n, 0) * c for n, c in counts.items()) -
                   is_) / is_ for p, is_, counts in rows]


def rounded(v):
    return round(v) if v >= 10 or round(v, 1) == round(v) else round(v, 1)


def size(d):
    return np.median(np.abs(d)), np.mean(np.abs(d))


print('kernel\tlayers\tmedian\tmean\tnew median\tnew mean\ttaken')
new = dict(old)
for kernel in sorted({k for k, _ in old}):
    rows = rows_of(kernel)
    names = sorted({n for _, _, c in rows for n in c})
    if len(rows) < 2 or not names or (only and kernel not in only):
        continue
    scale = np.array([max(old[kernel, n], 4) for n in names], float)
    a = np.array([[c.get(n, 0) / is_ for n in names] for _, is_, c in rows])
    b = np.array([(is_ - p) / is_ for p, is_, _ in rows])
    a = np.vstack([a * scale, STAY * np.sqrt(len(rows)) * np.eye(len(names))])
    b = np.concatenate([b, np.zeros(len(names))])
    change = np.linalg.lstsq(a, b, rcond=None)[0] * scale
    value = {n: rounded(max(0, old[kernel, n] + c))
             for n, c in zip(names, change)}
    was = size(differences(rows, {}))
    now = size(differences(rows, {n: v - old[kernel, n]
                                  for n, v in value.items()}))
    taken = now[0] <= was[0] and now[1] <= was[1] and \
        max(was[0] - now[0], was[1] - now[1]) >= BETTER
    if taken:
        new.update({(kernel, n): v for n, v in value.items()})
    print(kernel, len(rows), *('%.1f' % v for v in was + now),
          'yes' if taken else 'no', sep='\t')
if write:
    with open('kern/fit.tsv', 'w') as f:
        print(*table[0], sep='\t', file=f)
        for k, n, _, *rest in table[1:]:
            print(k, n, new[k, n], *rest, sep='\t', file=f)
