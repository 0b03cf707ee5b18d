#!/usr/bin/env python3
"""An encoder layer of integers as a graph in text form, with random weights:
norm, attention, projection, sum; norm, feed-forward with a look-up, sum.

    encoder.py D HEADS FF ROWS NAME      writes NAME.txt and NAME.npz, its input
"""
import random
import sys

import numpy as np

d, heads, ff, rows = map(int, sys.argv[1:5])
name = sys.argv[5]
rnd = random.Random(1)
lines = ['graph "encoder" exact', f'x = input : s8[{rows},{d}]']


def const(key, kind, shape, lo, hi):
    n = int(np.prod(shape))
    lines.append('%s = const : %s[%s] {%s}' % (
        key, kind, ','.join(map(str, shape)),
        ','.join(str(rnd.randint(lo, hi)) for _ in range(n))))
    return key


def put(text):
    lines.append(text)
    return text.split(' ', 1)[0]


def norm(key, x):
    w = const(key + '_w', 's32', [d], 200000, 300000)
    b = const(key + '_b', 's32', [d], -9000, 9000)
    return put(f'{key} = ilayernorm {x} {w} {b} lo=-128 hi=127 shift=14')


def linear(key, x, k, m):
    w = const(key + '_w', 's8', [k, m], -60, 60)
    f = const(key + '_m', 's32', [m], 20, 60)
    a = const(key + '_a', 's32', [m], -90000, 90000)
    return put(f'{key} = matmul {x} {w} _ {f} {a} lo=-128 hi=127 shift=13')


def split(key, x, perm):
    y = put(f'{key}_r = reshape {x} shape={rows},{heads},{d // heads}')
    return put(f'{key}_h = transpose {y} perm={perm}')


def scaled(key, text, shift, hi=127):
    f = const(key + '_f', 's32', [1], 200, 255)
    a = const(key + '_o', 's32', [1], 0, 99)
    return put(f'{key} = {text} {f} {a} lo={127 - hi if hi > 127 else -128} '
               f'hi={hi if hi < 128 else 127} shift={shift}')


def plus(key, x, y):
    return scaled(key, f'add {x} {y}', 9)


n1 = norm('n1', 'x')
q, k, v = (linear(i, n1, d, d) for i in 'qkv')
s = scaled('s', f'matmul {split("q", q, "1,0,2")} {split("k", k, "1,2,0")} _', 15)
p = put(f'p = itamax {s} hi=255')
o = scaled('o', f'matmul {p} {split("v", v, "1,0,2")} _', 15)
o = put(f'oj = transpose {o} perm=1,0,2')
o = put(f'ok = reshape {o} shape={rows},{d}')
h = plus('h', 'x', linear('proj', o, d, d))
u = linear('up', norm('n2', h), d, ff)
t = const('table', 's8', [256], -128, 127)
g = put(f'g = gather {t} {u} axis=0')
y = plus('y', h, linear('down', g, ff, d))
lines.append(f'output {y}')
with open(name + '.txt', 'w') as f:
    f.write('\n'.join(lines) + '\n')
np.savez(name + '.npz', x=np.random.default_rng(1).integers(-128, 128, (rows, d)))
